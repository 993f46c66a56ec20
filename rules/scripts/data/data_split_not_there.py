"""The script asks for a split that its files do not have.

`load_dataset` with `data_files` gives the splits that this argument names. A file or a list of
files without a name is the split `train`, whatever the file is called. Another split raises an
error after the files have been read.

Remedy: ask for `split="train"`, or name the split: `data_files={"test": "test.jsonl"}`.

Versions: every release.

Seen: reproduced with datasets 5.2.0 and 5.0.1: `load_dataset("json", data_files="rows.jsonl",
split="test")` raises 'ValueError: Unknown split "test". Should be one of ['train'].'
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.passed import RowLoad
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.data import FILES

from ..._recorded.scripts import script

PART = re.compile(r"\s*(?P<split>[^\[\]]*[^\[\]\s])\s*(\[[^\]]*\])?\s*")
"""A split, perhaps with the part of it that is wanted: `train[:10%]`."""


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        raise NotConcerned("the script loaded its rows itself")
    loads = [load for load in facts.run.script.row_loads if load.closed and load.files]
    if not any(load.path in FILES and load.split for load in loads):
        raise NotConcerned("the script asks for no split of files")
    for load in loads:
        for split in asked_for(load) if load.path in FILES else ():
            if split not in (*load.files, "all"):
                have = " and ".join(load.files)
                yield Finding(
                    load.split_place,
                    f"the files have no split {split}: load_dataset puts them into {have}",
                    remedy=remedy(load, split),
                )


def asked_for(load: RowLoad) -> list[str]:
    """The splits that a call asks for; none if that is not how they are written."""
    parts = [PART.fullmatch(part) for part in load.split.split("+")]
    return [part["split"] for part in parts if part] if all(parts) else []


def remedy(load: RowLoad, split: str) -> str:
    """What gives the rows."""
    if list(load.files) != ["train"]:
        return f'ask for one of them, for example split="{next(iter(load.files))}"'
    (*others, file) = load.files["train"]
    named = f'data_files={{"{split}": …}}' if others else f'data_files={{"{split}": "{file}"}}'
    return f'write split="train", or {named}'


def _run(rows: str) -> dict[str, str]:
    return script("SFT", "model='org/m'", before=f"rows = load_dataset({rows})\n")


TWO = "'json', data_files={'train': 'a.jsonl', 'test': ['b.jsonl', 'c.jsonl']}"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Unknown split ",
    examples=(
        Bad(
            _run("'json', data_files='test.jsonl', split='test'"),
            "train.py",
            says="the files have no split test: load_dataset puts them into train",
        ),
        Bad(
            _run("'csv', data_files=['a.csv'], split='train+test[:5]'"),
            "train.py",
            says="no split test",
        ),
        Bad(_run(f"{TWO}, split='validation'"), "train.py", says="puts them into train and test"),
        Bad(_run("'json', data_files='train', split='a.jsonl'"), "train.py", says="split a.jsonl"),
        Good(_run(f"{TWO}, split='train[:10%]+test'"), "train.py"),
        Good(_run("'json', data_files='a.jsonl', split='all'"), "train.py"),
        Good(_run("'json', data_files=open('names').read(), split='test'"), "train.py"),
        Good(_run("'org/rows', data_files='test.jsonl', split='test'"), "train.py"),
        Good(_run("'json', data_files={'test': 'a.jsonl'}, split='test'"), "train.py"),
    ),
)
