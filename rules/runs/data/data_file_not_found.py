"""A file of rows that the run loads is not there.

The job loads the model on every GPU, or waits for its nodes, and then `load_dataset` raises an
error. Rows that no check could see are not checked either.

Of a script only files are looked for that it surely loads by a name that is written there:
`load_dataset("json", data_files=...)`, `load_from_disk`, `Dataset.from_json`, `pandas.read_csv`.
Nothing is reported for a script that may write files itself, download them, or change its folder.
For a script that a launch file starts it is a warning: an earlier line may make the file. A full
path in a launch file may be of another machine, or inside a container: then the rule is skipped.

Remedy: correct the path. A relative path starts at the folder in which the job is started.

Versions: every release.

Seen: reproduced with datasets 5.2.0: `load_dataset("json", data_files="trian.jsonl")` raises
"FileNotFoundError: Unable to find '.../trian.jsonl'"; `load_from_disk("rows")` "FileNotFoundError:
Directory rows not found"; `trl sft` with `datasets: [{path: json, data_files: trian.jsonl}]` the
first of these.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned, several
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.data import FILES

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        raise NotConcerned("the script loaded its rows itself")
    named = [(name, place) for name, place in _named(facts) if _is_local(name)]
    if not named:
        raise NotConcerned("the run names no local file of rows")
    target, open_questions = facts.run.target, []
    for name, place in dict(named).items():
        if _is_there(facts, name):
            continue
        if why := uncertain(facts, name):
            open_questions.append(why)
            continue
        seen = []
        if target.launched_by:
            seen = [f"nothing was run: an earlier line of {target.launched_by.name} may make it"]
        yield Finding(
            place,
            f"there is no {name}, which the run loads rows from",
            (f"searched in {', '.join(str(root) for root in facts.run.roots)}", *seen),
            remedy=f"write {near}, if you mean that file" if (near := _near(facts, name)) else "",
            severity="warning" if target.launched_by else None,
        )
    if open_questions:
        raise several(open_questions)


def _named(facts: Facts) -> Iterator[tuple[str, Place]]:
    """The files and folders of rows by name, each with its place."""
    run = facts.run
    if run.script.passed is not None:
        yield from ((mention.name, mention.place) for mention in run.script.row_files)
        return
    mixture = run.arguments.get("datasets")
    for number, item in enumerate(mixture if isinstance(mixture, list) else ()):
        if isinstance(item, dict) and item.get("path") in FILES and not item.get("data_dir"):
            for name in _texts(item.get("data_files")):
                yield name, run.place("datasets", number)


def _texts(value: Json) -> list[str]:
    values = list(value.values()) if isinstance(value, dict) else [value]
    flat = [inner for item in values for inner in (item if isinstance(item, list) else [item])]
    return [item for item in flat if isinstance(item, str)]


def _is_local(name: str) -> bool:
    """Whether it is a path here; a part of None is an option that is not given yet."""
    unknown = "None" in name.split("/")
    return bool(name.strip()) and not unknown and "://" not in name and "**" not in name


def _is_there(facts: Facts, name: str) -> bool:
    """Whether a file or a folder has this name, or is found by its wildcards."""
    if dataset.existing_path(facts, name):
        return True
    with suppress(OSError, ValueError, IndexError, NotImplementedError):
        return any(True for root in facts.run.roots for _ in root.glob(name))
    return False


def _near(facts: Facts, name: str) -> str:
    """A name beside it that is almost the same; "" if there is none."""
    for root in facts.run.roots:
        path = root / name
        with suppress(OSError, ValueError):
            names = [entry.name for entry in path.parent.iterdir()]
            if matches := similar(path.name, names, 1, 0.75):
                return str(Path(name).with_name(matches[0]))
    return ""


ROW = '{"text": "The sea was calm."}\n'
LOADS = "from datasets import load_dataset\nrows = load_dataset('json', data_files='trian.jsonl')\n"
OPTION = (
    "import argparse, os\nfrom datasets import load_dataset\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--rows')\nrows = load_dataset('json', "
    "data_files=os.path.join(parser.parse_args().rows, 'train.json'))\n"
)
WRITES = "import json\njson.dump([], open('trian.jsonl', 'w'))\n"


def _run(files: Json) -> Json:
    datasets: list[Json] = [{"path": "json", "data_files": files}]
    return {"trainer": "sft", "model_name_or_path": "m", "datasets": datasets}


def _script(before: str) -> dict[str, Json]:
    return script("SFT", "model='org/m'", before=before)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Unable to find '|Couldn't find any data file|Directory .* not found",
    examples=(
        Bad({"run.json": _run("trian.jsonl"), "train.jsonl": ROW}, says="there is no trian.jsonl"),
        Bad(_script(LOADS), "train.py", says="there is no trian.jsonl, which the run loads"),
        Good({"run.json": _run(["train.*"]), "train.jsonl": ROW}),
        Good({**_script(LOADS), "trian.jsonl": ROW}, "train.py"),
        Good(_script(WRITES + LOADS), "train.py"),
        Good(_script(OPTION), "train.py"),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m"}}),
    ),
)
