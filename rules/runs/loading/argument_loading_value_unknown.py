"""A dtype, device or quantization of the model does not exist.

transformers looks the name of a dtype up in torch, and the device_map among the devices of torch
and its own words. With any other text the model cannot be loaded, on every process. People write
bf16, bfloat, gpu and cuda0. A quantization is an object, and never a text such as "4bit".

Remedy: write `bfloat16`, `float16`, `float32` or `auto` as dtype, and `auto`, `cuda`, `cuda:0` or
`cpu` as device_map. Under a launcher leave device_map out: each process has a device of its own.

Versions: every release.

Seen: reproduced with transformers 4.48.3, 4.57.6 and 5.23.0: "module 'torch' has no attribute
'bfloat'", "'str' object has no attribute 'is_floating_point'", "When passing device_map as a
string, the value needs to be a device name", and with 5.23.0 "'str' object has no attribute
'quant_method'". `dtype: bf16` of `trl grpo`: "Invalid `dtype` passed to the config".
"""

import re
from collections.abc import Callable, Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.loading import stated_loading
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.type_names import SHORT
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

DTYPES = ("auto", "bfloat16", "float16", "float32", "float64", "half", "float", "double")
"""Those with which a model can train."""

DTYPE = re.compile(r"(b?float\d+|u?int\d+|complex\d+|q\w*int\d+)(_\w+)?|c?(half|double|float)|bool"
                   r"|short|int|long|auto|torch\..+")  # fmt: skip
"""What torch may know, or a later one."""

MAPS = ("auto", "balanced", "balanced_low_0", "sequential", "cuda", "cpu")
MAP = re.compile(r"[a-z]\w*(:\d+)?")
NO_DEVICE = re.compile(r"gpus?(:\d+)?|none|null|true|false|default|[a-z]+\d+")
"""What people write, and is the name of no device."""


def check(facts: Facts) -> Iterator[Finding]:
    for route, value in stated_loading(facts, *KINDS).items():
        if is_placeholder(value):
            continue
        known, names, kind = KINDS[route[-1]]
        if not known(value):
            near, place = _meant(value, names), facts.run.place(*route)
            edits = (Put(place.file, place.pointer, near),)
            yield Finding(
                place,
                f"{route[-1]} is {value!r:.60}, which is not {kind}: the model cannot be loaded",
                fix=Fix(f"write {near}", edits) if value.lower() in SHORT else None,
                remedy=f'write "{near}"' if near else "",
            )


def _is_dtype(value: str) -> bool:
    return DTYPE.fullmatch(value) is not None


def _is_map(value: str) -> bool:
    return MAP.fullmatch(value) is not None and NO_DEVICE.fullmatch(value) is None


def _is_no_text(_: str) -> bool:
    return False


def _meant(value: str, names: tuple[str, ...]) -> str:
    """The name that was meant; "" if none is like it."""
    plain = value.lower()
    if names is MAPS:
        return (
            "cuda" if plain.startswith(("gpu", "cuda")) else next(iter(similar(plain, names)), "")
        )
    return SHORT.get(plain, next(iter(similar(plain, names)), ""))


KINDS: dict[str, tuple[Callable[[str], bool], tuple[str, ...], str]] = {
    "dtype": (_is_dtype, DTYPES, "a dtype of torch"),
    "torch_dtype": (_is_dtype, DTYPES, "a dtype of torch"),
    "device_map": (_is_map, MAPS, "a device"),
    "quantization_config": (_is_no_text, (), "the object of a config, as BitsAndBytesConfig(…)"),
}
"""For each argument what tells a right value, those that people mean, and what it has to be."""

RUN: dict[str, Json] = {"trainer": "grpo", "model_name_or_path": "model"}


def _run(**more: Json) -> dict[str, Json]:
    return {"run.json": {**RUN, **more}}


def _loaded(keywords: str) -> dict[str, str]:
    before = (
        "import torch\nfrom transformers import AutoModelForCausalLM\n"
        f"model = AutoModelForCausalLM.from_pretrained('org/m', {keywords})\n"
    )
    return script("SFT", "model=model", before=before)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="`dtype` passed|attribute 'quant_method'|is_floating_point|passing device_map"
    "|module 'torch' has no attribute",
    examples=(
        Bad(
            _loaded("quantization_config='4bit'"),
            "train.py",
            says="quantization_config is '4bit', which is not the object of a config",
        ),
        Bad(
            _run(dtype="bf16"),
            says="dtype is 'bf16', which is not a dtype of torch: the model cannot be loaded",
            fixed=_run(dtype="bfloat16"),
        ),
        Bad(_run(model_init_kwargs={"dtype": "bfloat"}), says="dtype is 'bfloat', which is not"),
        Bad(_loaded("device_map='gpu'"), "train.py", says="device_map is 'gpu', which is not a"),
        Bad(
            _loaded('torch_dtype="fp16"'),
            "train.py",
            says="torch_dtype is 'fp16'",
            fixed=_loaded('torch_dtype="float16"'),
        ),
        Good(_run(dtype="bfloat16", model_init_kwargs={"device_map": "cuda:0"})),
        Good(_run(dtype="${dtype}", model_init_kwargs={"device_map": {"": 0}}), skipped="another"),
        Good(_loaded("dtype=torch.bfloat16, device_map='auto'"), "train.py"),
        Good(_loaded("dtype='float8_e4m3fn', device_map='npu:1'"), "train.py"),
    ),
)
