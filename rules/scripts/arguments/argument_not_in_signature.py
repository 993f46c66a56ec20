"""A function of a library does not take this argument.

The script calls a function or a class of transformers, peft, accelerate, datasets or TRL with an
argument that the installed release does not have, with too many values, or without an argument that
it needs; or a method of a data set (`rows.map(…)`) with such an argument. The script fails at that
line: "got an unexpected keyword argument", "takes … positional arguments but … were given", or
"missing … required positional argument".

Remedy: write the name that the finding gives, or remove the argument; give what is missing.

Versions: the installed sources are read. Calls inside `try` or under a condition are not examined.
It is a warning if the script installs packages itself.

Seen: reproduced with `LoraConfig(targets=…)`, `get_peft_model(model)` and
`prepare_model_for_kbit_training(model, 1, None, True, 2)` of peft 0.21.2, and with
`Dataset.from_dict(rows, feature=…)` and `rows.map(clean, batch=True)` of datasets 5.2.0: each fails
with a TypeError.
"""

import difflib
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import surface
from trl_doctor.facts.library.callables import Signature, of_rows, takes, takes_anything
from trl_doctor.facts.passed import Call
from trl_doctor.facts.rule import Bad, Good, Rule

SHOWN = 8
"""Names of arguments that are shown."""


def check(facts: Facts) -> Iterator[Finding]:
    environment = facts.environment
    if not facts.run.script.library_calls:
        raise NotConcerned("the script calls nothing of the libraries")
    sources, checked = surface.installed_sources(environment), 0
    reported = set[tuple[object, str]]()
    for call in facts.run.script.library_calls:
        package = call.of.partition(".")[0]
        signature = takes(sources, call.of)
        if signature is None and call.of.startswith("datasets.Dataset."):
            signature = of_rows(sources, call.of.rpartition(".")[2])
        if signature is None:
            continue
        checked += 1
        installed = bool(environment.own) and package not in environment.stated
        severity: Severity | None = "warning" if installed else None
        name = call.of.removeprefix(f"{package}.").rpartition(".")[2]
        function = f"{name} of {package} {environment.version(package)}"
        for finding in _unfit(call, signature, function, severity):
            if (finding.place.spot, finding.message) not in reported:
                reported.add((finding.place.spot, finding.message))
                yield finding
    if not checked:
        calls = [call.of for call in facts.run.script.library_calls]
        if not any(of.partition(".")[0] in sources.packages for of in calls):
            raise Unavailable("the libraries whose functions it calls are not here")
        if all(map(takes_anything, calls)):
            raise NotConcerned("all that it calls takes any argument")
        raise Unavailable("the sources do not show what the functions take that it calls")


def _unfit(
    call: Call, signature: Signature, function: str, severity: Severity | None
) -> Iterator[Finding]:
    words = (*signature.plain, *signature.named)
    more = ", …" if len(words) > SHOWN else ""
    evidence = (f"its arguments: {', '.join(words[:SHOWN]) or 'none'}{more}",)
    for name, place in call.keywords.items():
        if name not in words and not signature.open:
            near = difflib.get_close_matches(name, words, 1, 0.6)
            remedy = f"write {near[0]}= instead of {name}=" if near else f"remove {name}"
            message = f"{function} does not take {name}"
            yield Finding(place, message, evidence, remedy=remedy, severity=severity)
    if call.count > len(signature.plain) and not signature.more:
        message = f"{function} takes {len(signature.plain)} values without names, not {call.count}"
        remedy = "give the others by name, or take them out"
        yield Finding(call.place, message, evidence, remedy=remedy, severity=severity)
    names = {*call.keywords, *signature.plain[: call.count]}
    missing = [name for name in signature.wants if name not in names]
    if missing and not call.open:
        message = f"{function} needs {' and '.join(missing)}, which the call does not give"
        remedy = f"give {', '.join(f'{name}=…' for name in missing)}"
        yield Finding(call.place, message, evidence, remedy=remedy, severity=severity)


RUN = "from trl import SFTTrainer\nSFTTrainer('org/m')\n"
PEFT = {
    "site-packages/peft-0.21.2.dist-info/METADATA": "Name: peft\nVersion: 0.21.2\n",
    "site-packages/peft/__init__.py": (
        "from .tuners import LoraConfig, OtherConfig\nfrom .making import get_peft_model, made\n"
    ),
    "site-packages/peft/tuners.py": (
        "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Base:\n"
        "    task_type: str = None\n\n\n@dataclass\nclass LoraConfig(Base):\n"
        "    r: int = 8\n    target_modules: list = field(default=None)\n"
        "    hidden: int = field(init=False, default=1)\n\n\n"
        "class OtherConfig:\n    def __init__(self, r, **kwargs):\n        self.r = r\n"
    ),
    "site-packages/peft/making.py": (
        "def get_peft_model(\n    model, peft_config, adapter_name: str = 'default'\n):\n"
        "    return model\n\n\n@elsewhere\ndef made(model):\n    return model\n"
    ),
}
HERE = "site-packages/datasets"
DATASETS = {
    f"{HERE}-5.2.0.dist-info/METADATA": "Name: datasets\nVersion: 5.2.0\n",
    f"{HERE}/__init__.py": (
        "from .rows import Dataset, DatasetDict, IterableDataset, IterableDatasetDict\n"
    ),
    f"{HERE}/rows.py": (
        "class Dataset:\n    @transmit_format\n    def map(self, function, batched=False):\n"
        "        return self\n\n\n"
        "class DatasetDict(dict):\n    def map(self, function, names=None):\n"
        "        return self\n\n\n"
        "class IterableDataset:\n    pass\n\n\nclass IterableDatasetDict(dict):\n    pass\n"
    ),
}
ROWS = "from datasets import load_dataset\nload_dataset('a/b', split='train').shuffle()"
ALL = "from peft import LoraConfig, OtherConfig, get_peft_model, made\n"


def _files(body: str) -> dict[str, str]:
    return {**PEFT, "train.py": f"{ALL}{body}\n{RUN}"}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Config\.__init__\(\) got an unexpected keyword|missing \d+ required positional",
    examples=(
        Bad(
            _files("LoraConfig(r=4, target_module=['q'])"),
            "train.py",
            says="LoraConfig of peft 0.21.2 does not take target_module",
        ),
        Bad(_files("LoraConfig(hidden=4)"), "train.py", says="does not take hidden"),
        Bad(
            _files("get_peft_model('m', LoraConfig(), 'a', 'b')"),
            "train.py",
            says="get_peft_model of peft 0.21.2 takes 3 values without names, not 4",
        ),
        Bad(
            _files("get_peft_model('m')"),
            "train.py",
            says="get_peft_model of peft 0.21.2 needs peft_config, which the call does not give",
        ),
        Bad(
            {**DATASETS, "train.py": f"{ROWS}.map(dict, batch=True)\n{RUN}"},
            "train.py",
            says="map of datasets 5.2.0 does not take batch",
        ),
        Good(
            {**DATASETS, "train.py": f"{ROWS}.map(dict, batched=True, names={{}})\n{RUN}"},
            "train.py",
        ),
        Good(_files("LoraConfig(r=4, task_type='x', target_modules=['q'])"), "train.py"),
        Good(_files("OtherConfig(4, anything=1); get_peft_model('m', None)"), "train.py"),
        Good(_files("made(1, 2, three=3); OtherConfig(2)"), "train.py"),
        Good(
            _files("try:\n    LoraConfig(targets=1)\nexcept TypeError:\n    LoraConfig()"),
            "train.py",
        ),
        Good(
            _files("import sys\nif sys.argv[1:]:\n    LoraConfig(targets=1)\nLoraConfig()"),
            "train.py",
        ),
        Good(
            {"train.py": f"{ALL}LoraConfig(a=1)\n{RUN}"},
            "train.py",
            skipped="the libraries whose functions it calls are not here",
        ),
    ),
)
