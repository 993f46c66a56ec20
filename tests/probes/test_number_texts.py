"""Which comparisons of a function take numbers for texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.number_texts import numbers_as_texts
from trl_doctor.probes.rehearsal.rows.row_code import row_code

ROWS: list[dict[str, Any]] = [
    {"a": "10", "b": "9", "n": 3, "day": "2024", "answers": [{"score": "10"}, {"score": "9"}]},
    {"a": "7", "b": "8", "n": 4, "day": "2025", "answers": [{"score": "7"}, {"score": "8"}]},
]


def cells(data: Any, column: str) -> list[Any]:
    return [row[column] for row in data]


def columns(row: Any) -> Any:
    return row["a"] > row["b"]


def a_constant(row: Any) -> Any:
    return row["a"] >= "9"


def largest(row: Any) -> Any:
    return max(row["answers"], key=lambda answer: answer["score"])


def as_numbers(row: Any) -> Any:
    return int(row["a"]) > int(row["b"]) and float(row["a"]) > 3


def of_one_length(row: Any) -> Any:
    return row["day"] > "2023"


def of_numbers(row: Any) -> Any:
    return row["n"] > 3 and max(row["answers"], key=lambda answer: float(answer["score"]))


@pytest.mark.parametrize(
    ("function", "column"),
    [
        (columns, "a"),
        (a_constant, "a"),
        (largest, "answers[…].score"),
        (as_numbers, ""),
        (of_one_length, ""),
        (of_numbers, ""),
    ],
)
def test_numbers_that_are_compared_as_texts(function: Callable[..., Any], column: str) -> None:
    code = row_code(function)
    assert code is not None
    found = [(name, small, large) for _, name, small, large in numbers_as_texts(code, ROWS, cells)]
    assert found == ([(column, "10", "9")] if column else [])


def by_id(row: Any) -> Any:
    return sorted(row["answers"], key=lambda one: one["id"])


@pytest.mark.parametrize("turns", [False, True])
def test_an_order_by_ids_matters_for_turns_alone(turns: bool) -> None:
    by = {"role": "user"} if turns else {}
    data = [{"answers": [{"id": "10", **by}, {"id": "9", **by}]}] * 2
    code = row_code(by_id)
    assert code is not None
    assert bool([*numbers_as_texts(code, data, cells)]) == turns
