"""Which errors of a rehearsal are the script's own, whatever was generated for it."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.errors.stacks import Rank
from trl_doctor.probes.rehearsal.where import OURS, raised_by_doctor
from trl_doctor.rehearsing.ending import excused
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.ending.flow import flow
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
    """The report of an error that came through these lines of the script."""
    file = tmp_path / "train.py"
    file.write_text(SCRIPT)
    kind, _, message = error.partition(": ")
    frames: list[list[Any]] = [[str(file), line(part), "main", ""] for part in parts]
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
    verdicts = judged(tmp_path, error, *parts, inside=inside)
    assert (verdicts.whose, verdicts.message) == ("script", error)
    assert verdicts.at is not None and verdicts.at.line == line(parts[-1])


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
    verdicts = judged(tmp_path, error, *parts, inside=inside)
    assert (verdicts.whose, verdicts.kind) == ("machine", "made up")
    assert "org/rows" in verdicts.message
    assert "--stand-in org/rows=FOLDER" in verdicts.remedy


def test_what_the_rows_cannot_have_caused_is_not_named(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, "ValueError: no such token", "decode([1]", inside=LIBRARY)
    assert "for org/model:" in verdicts.message and "org/rows" not in verdicts.message
    assert verdicts.remedy == "name a copy with --stand-in org/model=FOLDER"


def test_what_a_config_lacks_does_not_depend_on_rows(tmp_path: Path) -> None:
    given = {"kind": "config", "name": "TrainingArguments", "given": {}, "rank": 0, "time": 0.5,
             "at": None}  # fmt: skip
    error = "AttributeError: '{}' object has no attribute 'model_init_kwargs'"
    for kind, whose in (("TrainingArguments", "candidate"), ("Qwen2Config", "machine")):
        verdicts = judged(tmp_path, error.format(kind), "train_dataset=rows", inside=LIBRARY,
                      stage="construct", more=[given])  # fmt: skip
        assert verdicts.whose == whose


@pytest.mark.parametrize("test, whose", [("not self.args.use_vllm", "replaced"),
                                         ("self.is_vision", "made up")])  # fmt: skip
def test_a_line_that_the_job_does_not_reach(tmp_path: Path, test: str, whose: str) -> None:
    library = tmp_path / "site-packages/trl/trainer/some_trainer.py"
    library.parent.mkdir(parents=True)
    library.write_text(f"def step(self):\n    x = 1\n    if {test}:\n\n        prepare()\n")
    changed = {"kind": "changed", "name": "use_vllm", "given": True, "used": False, "rank": 0,
               "why": "it generates with transformers", "at": None, "time": 0.5}  # fmt: skip
    verdicts = judged(tmp_path, "ValueError: no", "train_dataset=rows", inside=str(library),
                  stage="train", more=[changed])  # fmt: skip
    assert (verdicts.whose, verdicts.kind) == ("machine", whose)
    assert ("without vLLM" in verdicts.message) == (whose == "replaced")


FORMS = {
    "a parameter of the same name": """
rows = load()
def count(rows):
    return int(rows)  # fails
count(4)
""",
    "a local of the same name": """
rows = load()
def count():
    rows = "four"
    return int(rows)  # fails
count()
""",
    "a lambda's": "rows = load()\nsizes = sorted([8, '16'], key=lambda rows: rows + 1)  # fails\n",
    "a comprehension's": "rows = load()\nsizes = [rows + 1 for rows in ['8']]  # fails\n",
    "a capture of another function": """
rows = load()
def other():
    match rows:
        case {"a": size}: pass
def count():
    size = "four"
    return int(size)  # fails
count()
""",
    "nonlocal of another function": """
rows = load()
def outer():
    rows = "four"
    def inner():
        nonlocal rows
        return int(rows)  # fails
    return inner()
outer()
""",
}
TOUCHED = {
    "a parameter that is given rows": """
rows = load()
def count(size):
    return int(size)  # fails
count(rows)
""",
    "global": """
def fill():
    global rows
    rows = load()
fill()
int(rows)  # fails
""",
    "read from the module": "rows = load()\ndef count():\n    return int(rows)  # fails\ncount()\n",
    "a closure": """
def outer():
    rows = load()
    def inner():
        return int(rows)  # fails
    return inner()
outer()
""",
    "nonlocal": """
def outer():
    rows = None
    def fill():
        nonlocal rows
        rows = load()
    fill()
    return int(rows)  # fails
outer()
""",
    ":= in a comprehension": "[last := one for one in load()]\nint(last)  # fails\n",
    "a default": "rows = load()\ndef count(rows=rows):\n    return int(rows)  # fails\ncount()\n",
    "a lambda by name": "rows = load()\nf = lambda row: (\n  int(row)  # fails\n)\nrows.map(f)\n",
    "an attribute of a class": "class Data:\n    rows = load()\nint(Data.rows)  # fails\n",
    "the body of a class": """
class Data:
    rows = load()
    size = int(rows)  # fails
""",
    "a capture": """
rows = load()
match rows:
    case {"a": size, **rest}: pass
int(size)  # fails
""",
    "what a function fills": """
def add(found):
    found.append(load())
rows = []
add(rows)
int(rows)  # fails
""",
    "a name that is deleted": "rows = load()\nsize = rows\ndel rows\nint(size)  # fails\n",
    "a decorated function": "rows = load()\n@rows.map\ndef f(row):\n    int(row)  # fails\n",
    "a function in a function": """
def main():
    def rows():
        return load()
    def clean(row):
        return int(row)  # fails
    return rows().map(clean)
main()
""",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_name_of_another_scope_does_not_link(form: str) -> None:
    assert not reached(FORMS[form])


@pytest.mark.parametrize("form", TOUCHED)
def test_what_reaches_a_line_through_scopes(form: str) -> None:
    assert reached(TOUCHED[form])


def reached(source: str) -> frozenset[str]:
    lines = source.splitlines()
    numbers = {part: n for n, text in enumerate(lines, 1) for part in ("load()", "# fails")
               if part in text}  # fmt: skip
    return flow(source, ((numbers["load()"], "org/rows"),)).touched(numbers["# fails"])


def test_a_value_that_the_parser_refuses_is_the_scripts_error(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("parser.parse_args()\n")
    refused = "argument --model_init_kwargs/--model-init-kwargs: invalid dict value: '{}'"
    message = f"train.py: error: {refused}"
    end: Event = {"kind": "exit", "status": 2, "at": [str(file), 1], "main": True,
                  "message": message, "rank": 0, "time": 1.0}  # fmt: skip
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(2, False, 1, str(tmp_path), ()))  # fmt: skip
    failed = failure(Events((end,), answer, tmp_path, tmp_path, {}))
    assert failed is not None and failed.whose == "script"
    assert "write model_init_kwargs as a mapping in the run file" in failed.remedy


def test_ranks_that_refuse_their_arguments_do_not_wait_for_each_other(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    message = "usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --steps\n"
    end = {"kind": "exit", "status": 2, "at": [str(file), 2], "main": True, "message": message}
    events: list[Event] = [
        {"kind": "launch", "by": "torchrun", "processes": 2, "rank": 0, "time": 1.0},
        *({**end, "rank": rank, "time": 2.0} for rank in (0, 1)),
        {"kind": "failed", "stage": "script", "type": "ChildFailedError", "message": "FAILED",
         "frames": [], "rank": 0, "time": 3.0},
    ]  # fmt: skip
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(tmp_path), ()))  # fmt: skip
    ranks = {0: Rank(0, 2, False, ()), 1: Rank(1, 2, True, ())}
    failed = failure(Events(tuple(events), answer, tmp_path, tmp_path, ranks))
    assert failed is not None and failed.at is not None
    assert failed.message == "the script refuses its arguments: unrecognized arguments: --steps"
    assert failed.at.line == 2


def test_an_error_of_the_doctors_own_code_says_nothing_about_the_script(tmp_path: Path) -> None:
    code = "def look(rows):\n    return rows.nothing\n\ndef passed(original, *given):\n"
    code += "    return original(*given)\n"
    looks: dict[str, Any] = {}
    exec(compile(code, f"{OURS}watching/looks.py", "exec"), looks)
    linecache.cache[f"{OURS}watching/looks.py"] = (len(code), None, code.splitlines(True), "")
    own, handed_on = error_of(looks["look"], []), error_of(looks["passed"], len, 1, 2)
    assert raised_by_doctor(own) == "watching/looks.py:2"
    assert raised_by_doctor(handed_on) == raised_by_doctor(error_of(lambda: [].nothing)) == ""
    more = {"mistake_of_doctor": "watching/looks.py:2"}
    failed = excused.of_doctor({**more, "type": "AttributeError", "message": "nothing"}, None)
    assert failed and failed.whose == "machine" and "trl-doctor itself failed" in failed.message


def error_of(call: Any, *given: Any) -> BaseException:
    try:
        call(*given)
    except Exception as error:
        return error
    raise AssertionError("it raised nothing")
