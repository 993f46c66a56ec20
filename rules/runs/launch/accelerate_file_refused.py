"""accelerate's config file is refused.

`accelerate launch` reads its file before it starts a process, and refuses keys and values that it
does not know. Some values are read only after the processes have started: by then each of them has
loaded the libraries and the model.

Remedy: correct the key or the value. In YAML write `mixed_precision: 'no'` with quotes: without
them YAML reads it as false.

Versions: every accelerate; tested with the oldest and the newest, 0.34.2 and 1.15.0. The known keys
are read from the installed accelerate; if none is installed, the keys and kinds of all releases
between the two are accepted.


Seen: reproduced with `accelerate launch`, SFT of trl 1.16.0 and 0.15.2 and DeepSpeed 0.15.4 and
0.19: "had unknown keys (['num_proceses'])", "'DEEPSPED' is not a valid DistributedType",
"AttributeError: 'bool' object has no attribute 'lower'", "'str' object has no attribute 'keys'" (a
name in `deepspeed_config`), "'>' not supported between instances of 'str' and 'int'", "Unknown
dynamo backend: INDUCTORR", "Unrecognized mode=defaultt".
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    Settings,
    accelerate_settings,
    is_of_deepspeed,
    options_of_launcher,
    unreadable,
)
from trl_doctor.facts.library.accelerate import (
    backends_of_accelerate,
    keys_of_accelerate,
    kinds_of_accelerate,
)
from trl_doctor.facts.library.launcher_keys import ACCELERATE
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.launcher import INSTALLED

USUAL = ("NO", "MULTI_CPU", "MULTI_GPU", "DEEPSPEED", "FSDP")
"""Values of `distributed_type` that every release has."""

PRECISIONS = ("no", "fp16", "bf16", "fp8")
DEVICES = ("none", "cpu", "nvme")
MODES = ("default", "lite", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
DEEPSPEED: Mapping[str, tuple[str, ...]] = {
    "zero_stage": ("0", "1", "2", "3"),
    "offload_optimizer_device": DEVICES,
    "offload_param_device": DEVICES,
}
"""Values that keys of `deepspeed_config` can have, as text."""


def check(facts: Facts) -> Iterator[Finding]:
    if problem := unreadable(facts, accelerate_settings):
        yield Finding(Place(problem.path), f"{problem}: accelerate cannot read it")
        return
    file = facts[accelerate_settings]
    if file.get("compute_environment") == "AMAZON_SAGEMAKER":
        raise NotConcerned("accelerate reads a file for SageMaker differently")
    if is_of_deepspeed(file):
        raise NotConcerned("it is a file of DeepSpeed")
    yield from _keys(facts, file)
    yield from _dynamo(facts, file)
    kind, precision = file.get("distributed_type"), file.get("mixed_precision")
    if "distributed_type" not in file.value:
        yield Finding(
            file.whole,
            "distributed_type is missing: accelerate refuses the file",
            remedy="write distributed_type: MULTI_GPU, FSDP, DEEPSPEED or 'NO'",
        )
    elif isinstance(kind, str) and kind not in USUAL:
        yield from _kind(facts, file, kind)
    if precision is False:
        yield Finding(
            file.place("mixed_precision"),
            "mixed_precision is false, as YAML reads `no` without quotes: accelerate fails",
            remedy="write mixed_precision: 'no', with quotes",
        )
    elif isinstance(precision, str) and precision.lower() not in PRECISIONS:
        yield _refused(file, ("mixed_precision",), precision, PRECISIONS)
    if kind == "DEEPSPEED":
        yield from _deepspeed(file)
    machines = file.get("num_machines")
    if isinstance(machines, str) and "num_machines" not in options_of_launcher(facts):
        yield Finding(
            file.place("num_machines"),
            f"num_machines is the text '{machines}': accelerate fails to compare it with 1",
            remedy="write the number without quotes",
        )


def _keys(facts: Facts, file: Settings) -> Iterator[Finding]:
    accelerate_keys = keys_of_accelerate(facts.environment)
    for key in file.value:
        if key in accelerate_keys.top:
            continue
        suggestions = [] if key in ACCELERATE else similar(key, accelerate_keys.top)
        remedy = f"did you mean {suggestions[0]}?" if suggestions else f"remove {key}"
        if key == "bf16":
            remedy = "write mixed_precision: bf16"
        elif key in ACCELERATE:
            remedy += ", which other releases of accelerate read"
        yield Finding(
            file.place(key),
            f"{accelerate_keys.reader} does not know the key {key}, and refuses the file",
            fix=file.renamed((key,), suggestions[0])
            if similar(key, suggestions, alike=0.8)
            else None,
            remedy=remedy,
        )


def _kind(facts: Facts, file: Settings, kind: str) -> Iterator[Finding]:
    kinds = kinds_of_accelerate(facts.environment)
    if kind not in kinds:
        yield _refused(file, ("distributed_type",), kind, kinds)


def _dynamo(facts: Facts, file: Settings) -> Iterator[Finding]:
    """The backend and the mode of torch.compile, by the old key and the new part."""
    backends = backends_of_accelerate(facts.environment)
    for keys in (("dynamo_backend",), ("dynamo_config", "dynamo_backend")):
        value = file.get(*keys)
        if isinstance(value, str) and value.upper() not in backends:
            yield _refused(file, keys, value, backends)
    yield from _values(file, "dynamo_config", {"dynamo_mode": MODES})


def _deepspeed(file: Settings) -> Iterator[Finding]:
    part = file.get("deepspeed_config")
    if part is None or isinstance(part, dict):
        yield from _values(file, "deepspeed_config", DEEPSPEED)
        return
    is_file = isinstance(part, str) and part.endswith(".json")
    form = f"deepspeed_config_file: {part}" if is_file else "zero_stage: 2"
    yield Finding(
        file.place("deepspeed_config"),
        f"deepspeed_config is {part if isinstance(part, str) else 'not a mapping'}, but must be a "
        "mapping of keys: accelerate fails",
        remedy=f"write `{form}` below deepspeed_config",
    )


def _values(file: Settings, part: str, allowed: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    for key, names in allowed.items():
        value = file.get(part, key)
        if value is None or value == "auto" or isinstance(value, dict | list):
            continue
        text = str(value)
        if text.upper() not in (name.upper() for name in names):
            yield _refused(file, (part, key), text, names)


_USUAL: Mapping[str, tuple[str, ...]] = {
    "distributed_type": ("NO", "MULTI_GPU", "DEEPSPEED", "FSDP"),
    "dynamo_backend": ("NO", "EAGER", "INDUCTOR"),
}
"""Of long lists, what most people mean."""


def _refused(file: Settings, keys: tuple[str, ...], value: str, names: tuple[str, ...]) -> Finding:
    suggestions = similar(value, names) or similar(value.upper(), names)
    listed = ", ".join(names if len(names) < 12 else _USUAL.get(keys[-1], names))
    return Finding(
        file.place(*keys),
        f"{keys[-1]} cannot be {value}",
        remedy=f"did you mean {suggestions[0]}?" if suggestions else f"write one of {listed}",
    )


def _files(**settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "accelerate_config": "acc.yaml"}
    return {"run.json": run, "acc.yaml": dict(settings)}


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
LINE = "accelerate launch --num_machines 2 --config_file acc.yaml train.py\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"had unknown keys|is not a valid DistributedType|`distributed_type` must be specified"
    r"|Unknown mixed_precision mode|Unknown dynamo backend|Unrecognized mode="
    r"|'bool' object has no attribute 'lower'",
    examples=(
        Bad(
            _files(distributed_type="MULTI_GPU", num_proceses=2),
            fixed={"acc.yaml": {"distributed_type": "MULTI_GPU", "num_processes": 2}},
            says="accelerate does not know the key num_proceses, and refuses the file",
        ),
        Bad(_files(num_processes=2), says="distributed_type is missing"),
        Bad(_files(distributed_type="DEEPSPED"), says="distributed_type cannot be DEEPSPED"),
        Bad(
            _files(distributed_type="MULTI_GPU", mixed_precision=False),
            says="mixed_precision is false, as YAML reads `no` without quotes",
        ),
        Bad(
            _files(distributed_type="DEEPSPEED", deepspeed_config={"zero_stage": 4}),
            says="zero_stage cannot be 4",
        ),
        Bad(
            _files(distributed_type="DEEPSPEED", deepspeed_config="ds.json"),
            says="deepspeed_config is ds.json, but must be a mapping of keys",
        ),
        Bad(
            _files(distributed_type="MULTI_GPU", num_machines="1"),
            says="num_machines is the text '1'",
        ),
        Bad({**_files(), "acc.yaml": ""}, says="acc.yaml is empty: accelerate cannot read it"),
        Bad({**_files(), "acc.yaml": "[]"}, says="is a list where a mapping of keys is expected"),
        Bad(
            _files(distributed_type="NO", bf16=True),
            says="accelerate does not know the key bf16, and refuses the file",
        ),
        Bad(
            {**INSTALLED, **_files(distributed_type="FSDP", ipex_config={"ipex": True})},
            says="accelerate 1.15.0 does not know the key ipex_config, and refuses the file",
        ),
        Bad(
            {**INSTALLED, **_files(distributed_type="TP")},
            says="distributed_type cannot be TP",
        ),
        Bad(
            _files(distributed_type="NO", dynamo_backend="INDUCTORR"),
            says="dynamo_backend cannot be INDUCTORR",
        ),
        Bad(
            _files(distributed_type="NO", dynamo_config={"dynamo_mode": "defaultt"}),
            says="dynamo_mode cannot be defaultt",
        ),
        Good(_files(distributed_type="NO", dynamo_config={"dynamo_backend": "inductor"})),
        Good({**INSTALLED, **_files(distributed_type="MULTI_NEW", new_config={}, fp16=True)}),
        Good(_files(distributed_type="FSDP", ipex_config={"ipex": True})),
        Good(_files(distributed_type="NO", mixed_precision="no", num_processes=1)),
        Good(
            {**_files(distributed_type="MULTI_GPU"), "train.py": SCRIPT, "job.sh": LINE},
            "job.sh",
        ),
        Good(_files(distributed_type="DEEPSPEED", deepspeed_config={"zero_stage": 3})),
    ),
)
