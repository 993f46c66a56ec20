"""The data set that the run names is not found.

The job loads the model on every GPU and then fails. TRL passes `dataset_name` to `load_dataset`,
which accepts a folder or the name of a data set on the Hub. The path of a file is neither:
`load_dataset` looks for it on the Hub.

Remedy: name a folder whose files are called `train.jsonl` and `test.jsonl`. A relative path starts
at the folder in which the job is started.

Versions: every release. From trl 0.22.0 on a run file can name files with `datasets`.

Seen: reproduced with `python -m trl.scripts.sft`, trl 1.16.0, with data/messages.jsonl:
"ConnectionError: Couldn't reach 'data/messages.jsonl' on the Hub"; with the folder of that file it
trains. datasets 5.2.0 and 5.0.1: `load_dataset("./data/prompts.jsonl")` raises "FileNotFoundError:
Couldn't find any data file", `load_dataset("~/messages")` an HFValidationError though that folder
is there.
`trl sft` with daata beside a folder data: "Couldn't reach 'daata' on the Hub".
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trl_doctor.core.finding import Finding, Fix, Json, Put
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset, library
from trl_doctor.facts.data_files import READERS
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rows.mapped import HERE
from trl_doctor.facts.rows.own import made
from trl_doctor.facts.rule import Bad, Good, Rule

ALIKE = 0.75
"""The share of common letters (difflib's ratio) of a name that was meant."""

TAKES = "load_dataset accepts a folder or the name of a data set on the Hub"


def check(facts: Facts) -> Iterator[Finding]:
    if facts.get(made) is not None:
        raise NotConcerned(HERE)
    name = facts.run.arguments.get("dataset_name")
    if rehearsed(facts):
        raise NotConcerned("the script loaded its rows itself")
    if facts.run.arguments.get("datasets"):
        raise NotConcerned("the run names files of rows: data-file-not-found looks for them")
    if not isinstance(name, str) or not name.strip():
        raise NotConcerned("the run names no data")
    place, path = facts.run.place("dataset_name"), dataset.existing_path(facts, name)
    if path and name.startswith("~"):
        message = f"{name} is not found: load_dataset does not read ~ as the home folder"
        yield Finding(place, message, remedy=f"write the full path: {path}")
    elif path and path.is_file():
        yield Finding(place, f"{name} is a file", (TAKES,), remedy=_remedy(facts, name))
    elif not path and (why := uncertain(facts, name)):
        raise Unavailable(why)
    elif not path and _is_path(name):
        yield Finding(place, f"there is no {name}", (TAKES,))
    elif not path and (near := _near(facts, name)):
        message = f"there is no {name}, so the Hub is searched for it; did you mean {near}?"
        fix = Fix(f"write {near}", (Put(place.file, place.pointer, near),), safe=False)
        yield Finding(place, message, fix=fix)
    elif not path and (first := _beside(facts, name)):
        message = (
            f"there is no {name}, though {first} is a folder here: load_dataset "
            "looks for it on the Hub"
        )
        yield Finding(place, message, severity="warning")
    elif not path:
        raise dataset.not_on_this_machine(name)


def _is_path(name: str) -> bool:
    """Whether a name is written like a path, and not like `org/name` of the Hub."""
    if "://" in name or name.startswith("buckets/"):
        return False
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or Path(name).suffix in READERS


def _beside(facts: Facts, name: str) -> str:
    """The first part of `org/name` where it is a folder here: it may be meant as a path."""
    first, slash, _ = name.partition("/")
    path = dataset.existing_path(facts, first) if slash else None
    return first if path and path.is_dir() else ""


def _near(facts: Facts, name: str) -> str:
    """A folder with data files that is called almost like the name; "" if there is none."""
    for root in facts.run.roots:
        path = root / name
        with suppress(OSError):
            names = [entry.name for entry in path.parent.iterdir() if _has_rows(entry)]
            if matches := similar(path.name, names, 1, ALIKE):
                return str(Path(name).with_name(matches[0]))
    return ""


def _has_rows(folder: Path) -> bool:
    return folder.is_dir() and any(entry.suffix in READERS for entry in folder.iterdir())


def _remedy(facts: Facts, name: str) -> str:
    suffix = Path(name).suffix
    advice = f"move it into a folder of its own as train{suffix}, and name the folder"
    trainer = facts.run.trainer
    if suffix not in READERS or isinstance(trainer, Unavailable):
        return advice
    if "datasets" not in library.accepted(facts.environment, trainer).fields:
        return advice
    files = f"datasets: [{{path: {READERS[suffix]}, data_files: {name}}}]"
    return f"{advice}; or write `{files}` in place of dataset_name"


def _run(name: str) -> Json:
    return {"trainer": "sft", "model_name_or_path": "m", "dataset_name": name}


ROW = '{"text": "The sea was calm."}\n'
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": _run("data/rows.jsonl"), "data/rows.jsonl": ROW}, says="is a file"),
        Bad({"run.json": _run("data/rowz.jsonl")}, says="there is no data/rowz.jsonl"),
        Bad({"run.json": _run("./data")}, says="there is no ./data"),
        Bad({"run.json": _run("my/data/rows")}, says="there is no my/data/rows"),
        Bad(
            {"run.json": _run("data/rowz"), "data/rows/train.jsonl": ROW},
            says="there is no data/rowz, so the Hub is searched for it; did you mean data/rows?",
            fixed={"run.json": _run("data/rows")},
        ),
        Bad(
            {"run.json": _run("data/other"), "data/rows/train.jsonl": ROW},
            says="though data is a folder here",
            severity="warning",
        ),
        Good({"run.json": _run("data/rows"), "data/rows/train.jsonl": ROW}),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m"}}),
        Good({"run.json": _run("org/name")}, skipped="org/name is not on this machine"),
        Good({"run.json": _run("hf://datasets/org/name")}, skipped="on the Hub"),
    ),
)
