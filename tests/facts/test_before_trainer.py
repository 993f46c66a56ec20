"""The part of a script that makes an argument of its trainer gives what the whole script gives."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.script.syntax.before_trainer import before_trainer
from trl_doctor.probes.alone.script_part import value_of
from trl_doctor.probes.refusal import Refused

HEAD = """\
import json
import random

MADE = []


class Trainer:
    def __init__(self, model=None, train_dataset=None):
        MADE.append(train_dataset)

    def train(self):
        pass


def heavy():
    return Model.from_pretrained("a model")


"""


def call_in(text: str) -> tuple[int, int]:
    """Where the script makes its trainer."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    last = [call for call in calls if getattr(call.func, "id", "") == "Trainer"][-1]
    return last.lineno, last.col_offset


class Model:
    """What the whole script loads, and its part never does."""

    @classmethod
    def from_pretrained(cls, name: str) -> str:
        return name


def whole_of(body: str) -> Any:
    """What the whole script gives its trainer."""
    names: dict[str, Any] = {"__name__": "__main__", "Model": Model}
    exec(compile(HEAD + dedent(body), "train.py", "exec"), names)
    return names["MADE"][-1]


def parts_of(text: str) -> list[Any]:
    """What the needed statements give, and what all that load no model give."""
    request = request_of(text)
    saved = sys.modules["__main__"], sys.argv
    try:
        return [value_of(request, which) for which in (request, request["wide"])]
    finally:
        sys.modules["__main__"], sys.argv = saved


def request_of(text: str) -> dict[str, Any]:
    """The part as a probe gets it."""
    call = call_in(text)
    part = before_trainer(text, call, "train_dataset")
    return {
        "file": "train.py", "text": text, "argument": "train_dataset", "call": call, "argv": [],
        "runs": part.runs, "opens": part.opens, "last": part.last,
        "wide": {"runs": part.wide[0], "opens": part.wide[1]},
    }  # fmt: skip


SCRIPTS = {
    "of the module": """
        rows = [1, 2]
        model = heavy()
        rows.append(3)
        Trainer(model, train_dataset=rows)
        """,
    "in a function": """
        def shout(row):
            return row.upper()

        def main(first="a", *more):
            rows = [shout(first)]
            model = heavy()
            for row in more:
                if row == "x":
                    continue
                rows.append(shout(row))
            Trainer(model, train_dataset=rows).train()

        if __name__ == "__main__":
            main("b", "x", "c")
        """,
    "through functions": """
        def train(rows, size):
            rows = rows[:size]
            trainer = Trainer(heavy(), train_dataset=[*rows, size])
            trainer.train()

        def main():
            model = heavy()
            rows = list(range(9))
            train(rows, size=4)

        main()
        """,
    "under a condition": """
        ON = True
        if ON:
            rows = ["on"]
            model = heavy()
        else:
            rows = ["off"]
        if not rows:
            model = heavy()
        elif len(rows) == 1:
            rows *= 2
        if ON:
            Trainer(model, train_dataset=rows)
        """,
    "in blocks": """
        class Timer:
            def __enter__(self):
                return self
            def __exit__(self, *why):
                pass

        rows = {}
        with Timer() as timer:
            try:
                model = heavy()
                rows["a"] = json.loads("[1]")
                Trainer(model, train_dataset=rows)
            finally:
                rows.clear
        """,
    "closures and seeds": """
        def main():
            factor = 2
            random.seed(3)
            def times(row):
                return row * factor * random.random()
            factor = 5
            model = heavy()
            Trainer(model, train_dataset=[times(1), times(2)])

        main()
        """,
    "what others change": """
        def fill(into):
            into.update(a=1)

        class Settings:
            size = 1

        settings = Settings()
        rows = {}
        fill(rows)
        settings.size = 7
        rows["size"] = settings.size
        count = rows.setdefault("b", 2)
        Trainer(heavy(), train_dataset=rows)
        """,
    "items of a loop": """
        rows = [{"a": n} for n in range(3)]
        for row in rows:
            row["b"] = row["a"] * 2
        first = rows[0]
        first["c"] = 3
        Trainer(heavy(), train_dataset=rows)
        """,
    "another name": """
        rows = []
        same = rows
        model = heavy()
        same.append(4)
        Trainer(model, train_dataset=rows)
        """,
    "by functions": """
        import heapq

        ROWS, SIZES = [3, 1, 2], {}

        def more():
            ROWS.append(0)

        def count(sizes, rows):
            sizes["n"] = len(rows)

        def load(settings):
            print(settings)
            return heavy()

        more()
        count(SIZES, ROWS)
        model = load(SIZES)
        random.seed(SIZES["n"])
        random.shuffle(ROWS)
        heapq.heapify(ROWS)
        smallest = heapq.heappop(ROWS)
        Trainer(model, train_dataset=(ROWS, SIZES))
        """,
    "names of inner scopes": """
        model = heavy()

        def words(text):
            model = text.split()
            return [model for model in model]

        rows = [words("a b"), (lambda model: model)(3)]
        Trainer(model, train_dataset=rows)
        """,
}  # fmt: skip


@pytest.mark.parametrize("body", SCRIPTS.values(), ids=SCRIPTS)
def test_the_part_gives_what_the_script_gives(body: str) -> None:
    assert parts_of(HEAD + dedent(body)) == [whole_of(body)] * 2


WIDE = {
    "an object's method": """
        class Cleaner:
            def apply(self, rows):
                for row in rows:
                    row["text"] = "clean"

        rows = [{}]
        Cleaner().apply(rows)
        Trainer(heavy(), train_dataset=rows)
        """,
    "a line that is read": """
        reader = iter(["head", "1", "2"])
        header = next(reader)
        model = heavy()
        print(model)
        Trainer(model, train_dataset=list(reader))
        """,
    "rows that are passed over": """
        def main():
            rows = []
            for text in ["a", "", "b"]:
                if not text:
                    continue
                rows.append(text)
            if not rows:
                return
            globals().update(SIZE=len(rows))
            Trainer(heavy(), train_dataset=(rows, SIZE))

        SIZE = 0
        main()
        """,
}


@pytest.mark.parametrize("body", WIDE.values(), ids=WIDE)
def test_statements_that_no_name_shows_are_run_too(body: str) -> None:
    assert parts_of(HEAD + dedent(body))[1] == whole_of(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("model = Auto.from_pretrained('m')\nTrainer(train_dataset=model.rows)", "line 19 calls"),
        ("def make(rows):\n    Trainer(train_dataset=rows)\nmake([1])\nmake([2])", "2 places"),
        ("def make(rows):\n    return Trainer(train_dataset=rows)", "0 places"),
        ("given = {'train_dataset': []}\nTrainer(**given)", "not a plain argument"),
        ("class Job:\n    def run(self):\n        Trainer(train_dataset=[])\nJob().run()", "plain"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_alone_is_told(body: str, reason: str) -> None:
    text = f"{HEAD}{body}\n"
    with pytest.raises(Unavailable, match=re.escape(reason)):
        before_trainer(text, call_in(text), "train_dataset")


def test_a_script_that_ends_before_its_trainer_is_refused() -> None:
    with pytest.raises(Refused, match="ends with 2"):
        parts_of(f"{HEAD}def rows():\n    raise SystemExit(2)\nTrainer(train_dataset=rows())\n")


def test_an_error_has_the_line_of_the_script(tmp_path: Path) -> None:
    text = f"{HEAD}model = heavy()\nrows = int('a')\nTrainer(train_dataset=rows)\n"
    with pytest.raises(ValueError) as raised:
        parts_of(text)
    assert raised.traceback[-1].lineno + 1 == text.split("\n").index("rows = int('a')") + 1
