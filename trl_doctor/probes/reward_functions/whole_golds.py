"""Functions that pay no right answer, because the column of right answers holds whole solutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..answers.rewards import FINAL
from .calls import Sheet, called
from .rows import GARBAGE, ROWS, Case, cases, cell_text, final


def paid_with_ends(function: Callable[..., Any], sheet: Sheet, gold: str) -> bool:
    """Whether it pays a right answer of each row as soon as the column holds only the end of each
    solution, and pays none with the column as it is."""
    rows = list(sheet.rows[:ROWS])
    ends = [{**row, gold: final(cell_text(row[gold]))} for row in rows]
    if not rows or not all(row[gold] for row in ends):
        return False
    return not any(_paid(function, sheet, rows, gold)) and all(
        _paid(function, sheet._replace(rows=ends), ends, gold)
    )


def _paid(
    function: Callable[..., Any], sheet: Sheet, rows: list[dict[str, Any]], gold: str
) -> list[bool]:
    """For each row whether a form of its right answer gets more than garbage."""
    paid = []
    for number, row in enumerate(rows):
        right = [case.text for case in cases([row], gold, "")
                 if case.kind.startswith(("gold", FINAL))]  # fmt: skip
        tried = [Case(number, "", text) for text in (GARBAGE, *right)]
        garbage, *rewards = called(function, tried, sheet).values
        paid.append(max(rewards) > garbage)
    return paid
