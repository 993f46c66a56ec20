"""A file of the run or of a model cannot be read.

The job fails when it opens this file, often only after the GPUs were allocated. Until the file can
be read, every check that needs it is skipped.

Remedy: correct the file at the place that the finding names, or download it again (`hf download`,
`git lfs pull`).

Versions: every release; transformers reads these files with Python's json, which also refuses
a byte order mark and a trailing comma.

Seen: reproduced: `AutoConfig.from_pretrained` of transformers 4.48.3, 4.57.6 and 5.23.0 on a
config.json with a trailing comma, with a byte order mark, and with a list in it. Without a
generation_config.json that is JSON, `trl dpo` of trl 1.16.0 trains: a warning.
"""

import re
import sys
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, documents
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.folders import JSON_FILES, folders
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.tokenizer import tokenizer_json

NEWER = "Python 3.12 or newer"
LIMITS = ("too-large", "too-deep")
REMEDIES = {
    "empty": "write the settings of the run into it, or name another file",
    "permission": "let the user who starts the run read it: chmod u+r",
    "not-text": "name a text file",
}
LARGE = 1024 * 1024
"""From this size in bytes on a file is only scanned, like a tokenizer.json of 150,000 tokens."""


def check(facts: Facts) -> Iterator[Finding]:
    problem = facts.run.file
    if isinstance(problem, documents.Unreadable):
        if problem.kind in LIMITS and problem.path.suffix in (".py", ".ipynb"):
            name = problem.path.name  # Python reads it: the limit is the doctor's own
            raise Unavailable(f"{name} {problem.problem}")
        if _is_newer(problem.problem, facts):
            raise Unavailable(f"{problem.path.name} is for {NEWER}: start trl-doctor with it")
        for finding in _finding(problem):
            yield _of_run(finding, problem)
    for fault in facts.run.script.unreadable_parts:
        if _is_newer(fault.name, facts):
            continue
        message = f"{fault.place.file.name} {fault.name}"
        yield Finding(fault.place, message, remedy="correct the cell", severity="warning")
    for folder in folders(facts):
        for name in folder.names():
            if name in JSON_FILES or name.endswith(".index.json"):
                yield from _read(folder, name)


def _is_newer(problem: str, facts: Facts) -> bool:
    """Whether only the Python of trl-doctor refuses it: from 3.12 on f-strings may have more.

    Without TRL the environment is not the job's, and the job's Python is not known.
    """
    if sys.version_info >= (3, 12) or "is not valid Python: f-string" not in problem:
        return False
    if facts.environment.source("trl") is None:
        return True
    paths = " ".join(map(str, facts.environment.paths))
    return max(map(int, re.findall(r"python3\.(\d+)", paths)), default=0) >= 12


def _read(folder: Folder, name: str) -> Iterator[Finding]:
    path = folder.file(name)
    try:
        if name == "tokenizer.json" and _is_tokenizer(folder):
            return
        data = documents.read_bytes(path)
        if len(data) < LARGE or not _is_object(data):
            documents.parse(path, data).mapping()
    except documents.Unreadable as problem:
        yield from _finding(problem)


def _is_tokenizer(folder: Folder) -> bool:
    """Whether it was read as a tokenizer: the facts need it, and it is not decoded once more."""
    try:
        tokenizer_json(folder)
    except documents.Unreadable:
        return False
    return True


def _is_object(data: bytes) -> bool:
    """Whether it is one JSON object, found without building its values: ten times faster."""
    try:
        msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _of_run(finding: Finding, problem: documents.Unreadable) -> Finding:
    """TRL's commands read a run file as YAML, which takes some of what JSON refuses."""
    path, remedy = problem.path, REMEDIES.get(problem.kind, "correct the file")
    if problem.kind == "empty" and path.suffix in (".py", ".ipynb"):
        remedy = "write the script into it, or name another file"
    if problem.line:
        remedy = f"correct line {problem.line}"
    try:
        yaml = path.suffix == ".json" and documents.parse(
            path.with_suffix(".yaml"), documents.read_bytes(path)
        )
        if not yaml or not yaml.mapping():
            return replace(finding, remedy=remedy)
    except documents.Unreadable:
        return replace(finding, remedy=remedy)
    message = f"{finding.message}. `trl … --config` reads it as YAML, but JSON readers refuse it"
    return replace(
        finding, message=message, severity="warning", remedy="correct it, or name it *.yaml"
    )


def _finding(problem: documents.Unreadable) -> Iterator[Finding]:
    if problem.kind in ("lfs-pointer", "missing"):
        return
    name, mild = problem.path.name, False
    message = f"{name} {problem.problem}"
    if name == "generation_config.json" and "is not valid JSON" in message:
        message, mild = f"{message}: the model is loaded without it", True
    at = problem.line is not None and problem.path.suffix == ".py"
    spot = Spot(problem.line or 1, problem.column or 1) if at else None
    yield Finding(Place(problem.path, spot=spot), message, severity="warning" if mild else None)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"model/config.json": '{\n  "model_type": "llama",\n}\n', "model/tokenizer.json": {}},
            target="model",
            says="config.json is not valid JSON",
        ),
        Bad({"run.json": '{"trainer": "grpo"'}, says="run.json is not valid JSON"),
        Bad({"run.json": '{"trainer": "grpo",}'}, says="reads it as YAML", severity="warning"),
        Bad(
            {"model/config.json": {}, "model/generation_config.json": "{},"},
            target="model",
            says="the model is loaded without it",
            severity="warning",
        ),
        Bad(
            {"model/config.json": ["llama"], "model/tokenizer.json": {}}, "model", says="is a list"
        ),
        Bad({"model/config.json": "", "model/tokenizer.json": {}}, "model", says="is empty"),
        Bad({"train.py": ""}, "train.py", says="train.py is empty"),
        Good({"model/config.json": {"model_type": "llama"}}, target="model"),
    ),
)
