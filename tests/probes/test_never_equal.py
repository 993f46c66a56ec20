"""Which comparisons of a function are true in no row, though the data have the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.never_equal import never_equal
from trl_doctor.probes.rehearsal.rows.row_code import row_code

ROWS: list[dict[str, Any]] = [
    {"winner": "ab"[n % 2], "label": n % 2, "good": "TRUE" if n % 2 else "FALSE", "id": f"x{n}",
     "kind": ["Easy ", "hard"][n % 2]}
    for n in range(24)
]  # fmt: skip
FIRST = "A"


def cells(data: Any, column: str) -> list[Any]:
    return [row[column] for row in data]


def capital(row: Any) -> Any:
    return row["winner"] == "A"


def outside(row: Any) -> Any:
    winner = row["winner"]
    return FIRST == winner  # noqa: SIM300


def number(row: Any) -> Any:
    return 1 if row["label"] == "1" else 0


def truth(row: Any) -> Any:
    return row["good"] == "True"


def listed(row: Any) -> Any:
    return row["kind"] in ("easy", "medium")


def right(row: Any) -> Any:
    return row["winner"] == "a" and row["label"] == 1 and row["label"] == True  # noqa: E712


def both(row: Any) -> Any:
    return row["winner"] == "A" or row["winner"] == "a"


def lowered(row: Any) -> Any:
    return row["winner"].upper() == "A"


def absent(row: Any) -> Any:
    return row["winner"] == "tie"


def of_many(row: Any) -> Any:
    return row["id"] == "X3"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (capital, ("winner", "'A'", "'a'")),
        (outside, ("winner", "'A'", "'a'")),
        (number, ("label", "'1'", "1")),
        (truth, ("good", "'True'", "'TRUE'")),
        (listed, ("kind", "'easy'", "'Easy '")),
        (right, None),
        (both, None),
        (lowered, None),
        (absent, None),
        (of_many, None),
    ],
)
def test_values_that_the_data_write_otherwise(
    function: Callable[..., Any], words: tuple[str, ...] | None
) -> None:
    code = row_code(function)
    assert code is not None
    found = [told for _, *told in never_equal(code, ROWS, cells)]
    assert found == ([list(words)] if words else [])
