"""A model or a data set is loaded with a wrong argument.

`from_pretrained` gives every keyword that it does not know to the class of the model, and
`load_dataset` gives it to the config of the file format. Their constructors refuse it:
"LlamaForCausalLM.__init__() got an unexpected keyword argument". The script fails at that line.
Older releases took some of them: `load_in_4bit` and `load_in_8bit`, `use_auth_token` and
`resume_download` are gone from transformers 5; `use_flash_attention_2`, which 4.51.3 has, is not in
4.53.3. `dtype` is new in 4.56.0, and no release takes `device`.

Remedy: write what the finding gives, or remove the argument.

Versions: the installed sources of transformers and datasets are read. An argument counts as known
if the sources of loading or any config have its name.

Seen: reproduced with transformers 5.23.0, where `load_in_4bit`, `use_auth_token`,
`use_flash_attention_2`, `bnb_4bit_compute_dtype` and `attn_impl` fail with a TypeError; 4.48.3 and
4.57.6 take the first two. With `BitsAndBytesConfig`, `token` and `attn_implementation` the model
loads. `device` fails with 4.48.3, 4.57.6 and 5.23.0, `dtype` with 4.48.3: "unexpected keyword
argument 'dtype'". `load_dataset` of datasets 5.2.0 refuses `use_auth_token`,
`ignore_verifications` and `spilt`.
"""

import difflib
import re
from collections.abc import Iterator, Set

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library.loading_words import not_taken
from trl_doctor.facts.rule import Bad, Good, Rule

MODELS = re.compile(r"transformers\.(AutoModel\w*|\w+For[A-Z]\w+|\w+Model)\.from_pretrained")
ROWS = "datasets.load_dataset"
QUANTISES = re.compile(r"load_in_[48]bit|bnb_4bit_\w+|llm_int8_\w+")
INSTEAD = {
    "use_auth_token": "write token= instead of use_auth_token=",
    "use_flash_attention_2": 'write attn_implementation="flash_attention_2" instead',
    "max_seq_length": "remove max_seq_length: max_length of the trainer's config cuts the rows",
    "dtype": "write torch_dtype= instead of dtype=, which transformers takes from 4.56.0 on",
    "device": "write device_map= instead of device=; under a launcher remove it",
    "ignore_verifications": 'write verification_mode="no_checks" instead',
}
TAKEN_SINCE = {"dtype": Version("4.56.0"), "device": Version("9999")}
"""The first transformers that takes names which stand in the sources of earlier ones."""

TAKEN = ("attn_implementation", "device_map", "dtype", "ignore_mismatched_sizes", "max_memory",
         "quantization_config", "revision", "token", "torch_dtype", "trust_remote_code",
         "use_cache", "use_safetensors", "split", "streaming", "data_files", "data_dir",
         "num_proc", "name", "cache_dir")  # fmt: skip
"""Arguments that people misspell."""


class Keyword(Struct, frozen=True):
    """An argument, its place, and the function of a package that gets it."""

    name: str
    place: Place
    loader: str
    package: str


def check(facts: Facts) -> Iterator[Finding]:
    keywords = [*_of_calls(facts)]
    places = {keyword.place.spot for keyword in keywords}
    keywords += (keyword for keyword in _of_config(facts) if keyword.place.spot not in places)
    if not keywords:
        raise NotConcerned("the script surely loads no model and no data set with arguments")
    for package in sorted({keyword.package for keyword in keywords}):
        of_package = [keyword for keyword in keywords if keyword.package == package]
        unknown = _not_taken(facts, package, {keyword.name for keyword in of_package})
        release = f"{package} {facts.environment.version(package)}"
        for keyword in of_package:
            if keyword.name in unknown:
                yield Finding(
                    keyword.place,
                    f"{keyword.loader} of {release} does not take {keyword.name}: the script fails "
                    "at this line",
                    remedy=_remedy(keyword.name),
                )


def _not_taken(facts: Facts, package: str, names: Set[str]) -> Set[str]:
    """The names that the package refuses: of its release if that tells, else of its sources."""
    version = facts.environment.version(package)
    if package != "transformers" or version is None:
        return not_taken(facts, package, names)
    surely = {name for name in names if name in TAKEN_SINCE and version < TAKEN_SINCE[name]}
    return surely | not_taken(facts, package, names - surely) if names - surely else surely


def _of_calls(facts: Facts) -> Iterator[Keyword]:
    """The keywords of the script's calls; where a model brings code, only transformers' own."""
    for call in facts.run.script.library_calls:
        own_code = "trust_remote_code" in call.keywords
        if MODELS.fullmatch(call.of):
            for name, place in call.keywords.items():
                if not own_code or name in INSTEAD or QUANTISES.fullmatch(name):
                    loader = call.of.removeprefix("transformers.")
                    yield Keyword(name, place, loader, "transformers")
        elif call.of == ROWS and not own_code:
            for name, place in call.keywords.items():
                yield Keyword(name, place, "load_dataset", "datasets")


def _of_config(facts: Facts) -> Iterator[Keyword]:
    """The keywords that the trainer gives to from_pretrained: those of `model_init_kwargs`."""
    values = facts.run.arguments.get("model_init_kwargs")
    if isinstance(values, dict) and "trust_remote_code" not in values:
        for name in values:
            place = facts.run.place("model_init_kwargs", name)
            yield Keyword(name, place, "from_pretrained", "transformers")


def _remedy(name: str) -> str:
    if QUANTISES.fullmatch(name):
        return f"pass quantization_config=BitsAndBytesConfig({name}=…)"
    near = difflib.get_close_matches(name, TAKEN, 1, 0.6)
    suggestion = f"write {near[0]}= instead of {name}=" if near else f"remove {name}"
    return INSTEAD.get(name, suggestion)


HERE, DATASETS = "site-packages/transformers", "site-packages/datasets"
LIBRARY = {
    f"{HERE}-5.23.0.dist-info/METADATA": "Name: transformers\nVersion: 5.23.0\n",
    f"{HERE}/__init__.py": "from .models.auto import AutoModelForCausalLM\n",
    f"{HERE}/modeling_utils.py": "def from_pretrained(name, device_map=None, token=None): ...\n",
    f"{HERE}/configuration_utils.py": "class PreTrainedConfig: ...\n",
    f"{HERE}/models/auto/__init__.py": "from .auto_factory import AutoModelForCausalLM\n",
    f"{HERE}/models/auto/auto_factory.py": "class AutoModelForCausalLM: ...\n",
    f"{HERE}/models/llama/configuration_llama.py": "class LlamaConfig:\n    use_cache = True\n",
    f"{DATASETS}-5.2.0.dist-info/METADATA": "Name: datasets\nVersion: 5.2.0\n",
    f"{DATASETS}/__init__.py": "from .load import load_dataset\n",
    f"{DATASETS}/load.py": "def load_dataset(path, split=None, **config_kwargs): ...\n",
    f"{DATASETS}/packaged_modules/csv/csv.py": "class CsvConfig:\n    delimiter = ','\n",
}


def _files(keywords: str) -> dict[str, str]:
    script = (
        "from transformers import AutoModelForCausalLM\nfrom trl import SFTTrainer\n"
        f"model = AutoModelForCausalLM.from_pretrained('org/m', {keywords})\nSFTTrainer(model)\n"
    )
    return {**LIBRARY, "train.py": script}


def _rows(keywords: str) -> dict[str, str]:
    script = (
        "from datasets import load_dataset\nfrom trl import SFTTrainer\n"
        f"rows = load_dataset('org/d', {keywords})\nSFTTrainer('org/m', train_dataset=rows)\n"
    )
    return {**LIBRARY, "train.py": script}


CONFIG = (
    "from trl import SFTConfig, SFTTrainer\n"
    "args = SFTConfig('o', model_init_kwargs={'attn_implementaton': 'sdpa'})\n"
    "SFTTrainer('org/m', args=args)\n"
)
SAYS = "from_pretrained of transformers 5.23.0 does not take "
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"\w(For\w+|Model|Config)\.__init__\(\) got an unexpected keyword",
    examples=(
        Bad(_files("load_in_4bit=True"), "train.py", says=f"{SAYS}load_in_4bit"),
        Bad(
            _files("load_in_8bit=True, trust_remote_code=True"),
            "train.py",
            says=f"{SAYS}load_in_8bit",
        ),
        Bad(_files("use_auth_token='x'"), "train.py", says=f"{SAYS}use_auth_token"),
        Bad({**LIBRARY, "train.py": CONFIG}, "train.py", says=f"{SAYS}attn_implementaton"),
        Bad(
            _rows("spilt='train'"),
            "train.py",
            says="load_dataset of datasets 5.2.0 does not take spilt",
        ),
        Bad(_files("device='cuda'"), "train.py", says=f"{SAYS}device"),
        Bad(
            {"train.py": _files("dtype='auto'")["train.py"]},
            "train.py",
            versions={"transformers": "4.55.4"},
            says="from_pretrained of transformers 4.55.4 does not take dtype",
        ),
        Good(
            {"train.py": _files("torch_dtype='auto'")["train.py"]},
            "train.py",
            versions={"transformers": "4.55.4"},
            skipped="transformers is not installed here",
        ),
        Good(_files("device_map='auto', use_cache=False"), "train.py"),
        Good(_files("own_argument=1, trust_remote_code=True"), "train.py"),
        Good(_rows("split='train', delimiter=';'"), "train.py"),
        Good(
            {"train.py": _files("load_in_4bit=True")["train.py"]},
            "train.py",
            skipped="transformers is not installed here",
        ),
    ),
)
