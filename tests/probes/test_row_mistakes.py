"""What functions of `map` and `filter` take from rows, beside what the rows have there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.row_code import row_code
from trl_doctor.probes.rehearsal.rows.row_mistakes import row_mistakes

LETTERS = "abcd"
NAMES = ["negative", "positive"]
TURNED = {0: "positive", 1: "negative"}
Row = dict[str, Any]


class Data:
    """A few rows, as `datasets` gives them."""

    def __init__(self, columns: dict[str, list[Any]], names: list[str] | None = None) -> None:
        self.columns = columns
        self.column_names = list(columns)
        self.features = {
            name: SimpleNamespace(dtype="string" if isinstance(cells[0], str) else "int64")
            for name, cells in columns.items()
        }
        if names:
            self.features["label"] = SimpleNamespace(names=names)

    def select_columns(self, columns: list[str]) -> Data:
        return Data({name: self.columns[name] for name in columns})

    def __getitem__(self, rows: slice) -> dict[str, list[Any]]:
        return {name: cells[rows] for name, cells in self.columns.items()}


CHOICES = Data({"choices": [["a", "b"], ["c", "d"]], "answer": [0, 1], "second": [1, 2]})
LABELS = Data({"label": [0, 1], "text": ["x", "y"]}, ["negative", "positive"])
BESIDE = Data({"label": [0, 1, 0], "name": ["neg", "pos", "neg"], "text": ["x", "y", "z"]})
TEXTS = Data(
    {"good": ["True", "False"], "answer": ["yes", "no"], "text": ["x", "no"],
     "reply": ["yes", "no"], "title": ["a", "b"]}
)  # fmt: skip


def found(function: Callable[..., Any], data: Data, **more: bool) -> list[tuple[str, list[str]]]:
    return [(mistake.what, mistake.words) for mistake in row_mistakes(function, data, **more)]


def by_name(row: Row) -> Row:
    number = int(row["answer"])
    return {"text": row["choices"][number - 1]}


def decides(row: Row) -> Row:
    number = row["answer"]
    return {"text": row["choices"][number - 1] if number > 0 else ""}


def twice(row: Row) -> Row:
    number = row["answer"]
    number = number + 1
    return {"text": row["choices"][number - 1]}


@pytest.mark.parametrize(
    ("function", "mistakes"),
    [
        (lambda row: row["choices"][row["answer"] - 1], 1),
        (lambda row: LETTERS[int(row.get("answer")) - 1], 1),
        (by_name, 1),
        (lambda row: row["choices"][row["second"] - 1], 0),
        (lambda row: row["choices"][row["answer"]], 0),
        (lambda row: (LETTERS * 9)[row["answer"] - 1], 0),
        (lambda row: row["choices"][row["absent"] - 1], 0),
        (decides, 0),
        (twice, 0),
    ],
)
def test_a_place_that_counts_from_one(function: Callable[..., Any], mistakes: int) -> None:
    assert found(function, CHOICES) == [("counted from one", ["answer"])] * mistakes


@pytest.mark.parametrize(
    ("function", "data", "words"),
    [
        (lambda row: TURNED[row["label"]], LABELS, ["label", "0", "positive", "negative"]),
        (lambda row: ["Pos.", "NEG"][row["label"]], LABELS, ["label", "0", "Pos.", "negative"]),
        (
            lambda row: "positive" if row["label"] == 0 else "negative",
            LABELS,
            ["label", "0", "positive", "negative"],
        ),
        (
            lambda row: "negative" if row["label"] else "positive",
            LABELS,
            ["label", "0", "positive", "negative"],
        ),
        (lambda row: TURNED[row["label"]], BESIDE, ["label", "0", "positive", "neg"]),
        (lambda row: NAMES[row["label"]], LABELS, None),
        (lambda row: NAMES[row["label"]], BESIDE, None),
        (lambda row: ["bad", "good"][row["label"]], LABELS, None),
        (lambda row: ["positive", "negative", "both"][row["label"]], LABELS, None),
        (lambda row: "positive" if row["label"] == 1 else "negative", LABELS, None),
        (lambda row: "positive" if row["label"] == 1 else row["text"], LABELS, None),
    ],
)
def test_names_in_another_order(
    function: Callable[..., Any], data: Data, words: list[str] | None
) -> None:
    assert found(function, data) == ([("labels in other order", words)] if words else [])


def chosen_and_rejected(row: Row) -> Row:
    return {"chosen": NAMES[row["label"]], "rejected": TURNED[row["label"]]}


def test_names_of_other_labels_beside_the_right_ones_are_meant() -> None:
    assert found(chosen_and_rejected, LABELS) == found(chosen_and_rejected, BESIDE) == []


def labelled(row: Row) -> Row:
    if row["good"]:
        return {"label": True}
    return {"label": False}


def asks_for_text(row: Row) -> Row:
    if not row["text"] or not row["answer"]:
        return {}
    return {"label": row["good"] == "True", "other": row["good"] if row["good"] else "False"}


@pytest.mark.parametrize(
    ("function", "passes", "mistakes"),
    [
        (labelled, False, 1),
        (lambda row: {"label": bool(row["good"])}, False, 1),
        (lambda row: {"label": not row["good"]}, False, 1),
        (lambda row: row["good"] and row["text"], True, 1),
        (lambda row: row["good"], False, 0),
        (lambda row: row["text"] and row["answer"], True, 0),
        (lambda row: row["reply"] and row["title"], True, 0),
        (lambda row: row["good"] == "True", True, 0),
        (asks_for_text, False, 0),
    ],
)
def test_a_text_taken_for_true_or_false(
    function: Callable[..., Any], passes: bool, mistakes: int
) -> None:
    mistake = ("text as truth", ["good", "False"])
    assert found(function, TEXTS, passes=passes) == [mistake] * mistakes


def test_yes_and_no_alone_are_taken_for_true_or_false() -> None:
    mistakes = found(lambda row: row["reply"], TEXTS, passes=True)
    assert mistakes == [("text as truth", ["reply", "no"])]


def test_only_functions_of_the_user_with_one_place_are_read() -> None:
    pair = [lambda row: row["a"], lambda row: row["b"]]  # which of them cannot be told
    assert row_code(pair[0]) is None
    for function in (len, str.upper, functools.partial(by_name), lambda: 1, 3):
        assert row_code(function) is None
    code = row_code(by_name)
    assert code is not None and code.columns == {"number": "answer"}


def test_votes_for_and_against_are_both_true() -> None:
    votes = Data({"vote": [1, -1, 1], "stars": [1, 2, 5], "said": [["a"], ["b"], []]})
    assert found(lambda row: {"label": bool(row["vote"])}, votes) == [("number as truth", ["vote"])]
    assert not found(lambda row: {"label": row["vote"] > 0}, votes)
    assert not found(lambda row: {"label": bool(row["stars"])}, votes)
    assert found(lambda row: {"label": bool(row["said"]) and bool(row["vote"])}, votes)
