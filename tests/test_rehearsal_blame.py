"""Which errors of a rehearsal are the script's own, whatever was generated for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.ending import failure
from trl_doctor.rehearsing.events import Event, Events

SCRIPT = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import DPOConfig, DPOTrainer
from peft import LoraConfig

def clean(row):
    return {"prompt": row["question"].strip()}

def ranks():
    return sorted([8, "16"])

def main(args):
    rows = load_dataset("org/rows", split="train")
    tokenizer = AutoTokenizer.from_pretrained("org/model")
    rows = rows.map(clean)
    adapter = LoraConfig(r=ranks()[0])
    if len(rows) > 4:
        prnt("many")
    try:
        size = int(rows[0]["size"])
    except ValueError:
        size = least
    longest = max(size, args.length)
    config = DPOConfig(length=longest)
    names = ", ".join(["a", 1])
    trainer = DPOTrainer("org/model", args=config, train_dataset=train_rows)
    trainer = DPOTrainer("org/model", args=config, train_dataset=rows)
    trainer.train()
    print(tokenizer.decode([1], strange))
    print(strange if len(rows) else "")

main(1)
"""


def line(part: str) -> int:
    return next(n for n, text in enumerate(SCRIPT.splitlines(), 1) if part in text)


def judged(tmp_path: Path, error: str, *parts: str, inside: str = "", stage: str = "script",
           more: list[Event] | None = None) -> Any:  # fmt: skip
    """What is said of an error that came through these lines of the script."""
    file = tmp_path / "train.py"
    file.write_text(SCRIPT)
    kind, _, message = error.partition(": ")
    frames: list[list[Any]] = [[str(file), line(one), "main", ""] for one in parts]
    frames += [[inside, 5, "library", ""]] if inside else []
    begun = {"rank": 0, "time": 1.0}
    events: list[Event] = [
        {"kind": "data", "name": "org/rows", "origin": "made", "columns": [],
         "at": [str(file), line("load_dataset(")], **begun},
        {"kind": "model", "name": "org/model", "origin": "made",
         "at": [str(file), line("from_pretrained(")], **begun},
        *(more or ()),
        {"kind": "failed", "stage": stage, "type": kind, "message": message, "frames": frames,
         **begun},
    ]  # fmt: skip
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(tmp_path), ()))  # fmt: skip
    return failure(Events(tuple(events), answer, tmp_path, tmp_path))


LIBRARY = "/env/site-packages/library.py"


@pytest.mark.parametrize(
    "error, parts, inside",
    [
        ("NameError: name 'train_rows' is not defined", ("train_dataset=train_rows",), ""),
        ("NameError: name 'strange' is not defined", ("decode([1], strange)",), ""),
        ("TypeError: '<' not supported between 'str' and 'int'",
         ("adapter = Lora", "return sorted"), ""),
        ("TypeError: sequence item 1: expected str instance, int found", ("names =",), ""),
        ("TypeError: LoraConfig.__init__() missing 1 required argument", ("adapter =",), LIBRARY),
        ("ImportError: cannot import name 'LoraConfigs' from 'peft'", ("from peft",), ""),
        ("TypeError: DPOTrainer.__init__() missing 1 required positional argument: 'x'",
         ("train_dataset=rows",), ""),
    ],
)  # fmt: skip
def test_an_error_that_no_rows_would_change(
    tmp_path: Path, error: str, parts: tuple[str, ...], inside: str
) -> None:
    told = judged(tmp_path, error, *parts, inside=inside)
    assert (told.whose, told.message) == ("script", error)
    assert told.at is not None and told.at.line == line(parts[-1])


@pytest.mark.parametrize(
    "error, parts, inside",
    [
        ("KeyError: 'question'", ("rows.map", 'row["question"]'), ""),
        ("AttributeError: 'list' object has no attribute 'strip'", ('row["question"]',), ""),
        ("NameError: name 'prnt' is not defined", ('prnt("many")',), ""),
        ("NameError: name 'least' is not defined", ("size = least",), ""),
        ("NameError: name 'strange' is not defined", ("strange if len",), ""),
        ("ValueError: the rows are too long", ("train_dataset=rows",), LIBRARY),
        ("TypeError: no length", ("config = DPOConfig",), LIBRARY),
        ("NameError: name 'rows' is not defined", ("trainer.train()",), ""),
    ],
)
def test_an_error_that_other_rows_may_not_meet(
    tmp_path: Path, error: str, parts: tuple[str, ...], inside: str
) -> None:
    told = judged(tmp_path, error, *parts, inside=inside)
    assert (told.whose, told.kind) == ("machine", "made up")
    assert "org/rows" in told.message
    assert "--stand-in org/rows=FOLDER" in told.remedy


def test_what_the_rows_cannot_have_caused_is_not_named(tmp_path: Path) -> None:
    told = judged(tmp_path, "ValueError: no such token", "decode([1]", inside=LIBRARY)
    assert "for org/model:" in told.message and "org/rows" not in told.message
    assert told.remedy == "name a copy with --stand-in org/model=FOLDER"


def test_what_a_config_lacks_does_not_depend_on_rows(tmp_path: Path) -> None:
    given = {"kind": "config", "name": "TrainingArguments", "given": {}, "rank": 0, "time": 0.5,
             "at": None}  # fmt: skip
    error = "AttributeError: '{}' object has no attribute 'model_init_kwargs'"
    for kind, whose in (("TrainingArguments", "candidate"), ("Qwen2Config", "machine")):
        told = judged(tmp_path, error.format(kind), "train_dataset=rows", inside=LIBRARY,
                      stage="construct", more=[given])  # fmt: skip
        assert told.whose == whose
