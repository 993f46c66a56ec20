"""from_pretrained of a model does not take an argument.

`from_pretrained` gives every keyword that it does not know to the class of the model, whose
constructor refuses it: "LlamaForCausalLM.__init__() got an unexpected keyword argument". The script
fails when it loads the model. Older releases took some of them: `load_in_4bit` and `load_in_8bit`,
`use_auth_token` and `resume_download` are gone from transformers 5, and `use_flash_attention_2`,
which 4.51.3 has, is not in 4.53.3.

Remedy: write what the finding gives, or remove the argument.

Versions: the installed sources of transformers are read. An argument counts as known if the sources
of loading or the config of any model have its name.

Seen: reproduced with transformers 5.23.0, where `load_in_4bit`, `use_auth_token`,
`use_flash_attention_2`, `bnb_4bit_compute_dtype` and `attn_impl` fail with a TypeError; 4.48.3 and
4.57.6 take the first two. With `BitsAndBytesConfig`, `token` and `attn_implementation` the model
loads.
"""

import difflib
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library.loading_words import not_taken
from trl_doctor.facts.rule import Bad, Good, Rule

LOADS = re.compile(r"transformers\.(AutoModel\w*|\w+For[A-Z]\w+|\w+Model)\.from_pretrained")
QUANTISES = re.compile(r"load_in_[48]bit|bnb_4bit_\w+|llm_int8_\w+")
INSTEAD = {
    "use_auth_token": "write token= instead of use_auth_token=",
    "use_flash_attention_2": 'write attn_implementation="flash_attention_2" instead',
    "max_seq_length": "remove max_seq_length: max_length of the trainer's config cuts the rows",
}
TAKEN = ("attn_implementation", "device_map", "dtype", "ignore_mismatched_sizes", "max_memory",
         "quantization_config", "revision", "token", "torch_dtype", "trust_remote_code",
         "use_cache", "use_safetensors")  # fmt: skip
"""Arguments that people misspell."""


def check(facts: Facts) -> Iterator[Finding]:
    keywords = [*_of_loads(facts)]
    keywords += _of_the_config(facts, {place.spot for _, place, _ in keywords})
    if not keywords:
        raise NotConcerned("the script surely loads no model with from_pretrained")
    unknown = not_taken(facts, {name for name, _, _ in keywords})
    release = facts.environment.version("transformers")
    for name, place, loader in keywords:
        if name in unknown:
            yield Finding(
                place,
                f"{loader} of transformers {release} does not take {name}: the script fails when "
                "it loads the model",
                remedy=_remedy(name),
            )


def _of_loads(facts: Facts) -> Iterator[tuple[str, Place, str]]:
    """The keywords of the script's calls; where a model brings code, only transformers' own."""
    for call in facts.run.calls:
        if LOADS.fullmatch(call.of):
            for name, place in call.given.items():
                own_code = "trust_remote_code" in call.given
                if not own_code or name in INSTEAD or QUANTISES.fullmatch(name):
                    yield name, place, call.of.removeprefix("transformers.")


def _of_the_config(facts: Facts, spots: set[Spot | None]) -> Iterator[tuple[str, Place, str]]:
    """What the trainer gives to from_pretrained (`model_init_kwargs`), without known places."""
    values = facts.run.arguments.get("model_init_kwargs")
    if isinstance(values, dict) and "trust_remote_code" not in values:
        for name in values:
            place = facts.run.place("model_init_kwargs", name)
            if place.spot not in spots:
                yield name, place, "from_pretrained"


def _remedy(name: str) -> str:
    if QUANTISES.fullmatch(name):
        return f"pass quantization_config=BitsAndBytesConfig({name}=…)"
    near = difflib.get_close_matches(name, TAKEN, 1, 0.6)
    suggestion = f"write {near[0]}= instead of {name}=" if near else f"remove {name}"
    return INSTEAD.get(name, suggestion)


HERE = "site-packages/transformers"
LIBRARY = {
    "site-packages/transformers-5.23.0.dist-info/METADATA": "Name: transformers\nVersion: 5.23.0\n",
    f"{HERE}/__init__.py": "from .models.auto import AutoModelForCausalLM\n",
    f"{HERE}/modeling_utils.py": "def from_pretrained(name, device_map=None, token=None): ...\n",
    f"{HERE}/configuration_utils.py": "class PreTrainedConfig: ...\n",
    f"{HERE}/models/auto/__init__.py": "from .auto_factory import AutoModelForCausalLM\n",
    f"{HERE}/models/auto/auto_factory.py": "class AutoModelForCausalLM: ...\n",
    f"{HERE}/models/llama/configuration_llama.py": "class LlamaConfig:\n    use_cache = True\n",
}


def _files(keywords: str) -> dict[str, str]:
    script = (
        "from transformers import AutoModelForCausalLM\nfrom trl import SFTTrainer\n"
        f"model = AutoModelForCausalLM.from_pretrained('org/m', {keywords})\nSFTTrainer(model)\n"
    )
    return {**LIBRARY, "train.py": script}


SAYS = "from_pretrained of transformers 5.23.0 does not take "
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"\w(For\w+|Model)\.__init__\(\) got an unexpected keyword",
    examples=(
        Bad(_files("load_in_4bit=True"), "train.py", says=f"{SAYS}load_in_4bit"),
        Bad(
            _files("load_in_8bit=True, trust_remote_code=True"),
            "train.py",
            says=f"{SAYS}load_in_8bit",
        ),
        Bad(_files("use_auth_token='x'"), "train.py", says=f"{SAYS}use_auth_token"),
        Bad(
            {
                **LIBRARY,
                "train.py": "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args="
                "SFTConfig('o', model_init_kwargs={'attn_implementaton': 'sdpa'}))\n",
            },
            "train.py",
            says=f"{SAYS}attn_implementaton",
        ),
        Good(_files("device_map='auto', use_cache=False"), "train.py"),
        Good(_files("own_argument=1, trust_remote_code=True"), "train.py"),
        Good(
            {"train.py": _files("load_in_4bit=True")["train.py"]},
            "train.py",
            skipped="transformers is not installed here",
        ),
    ),
)
