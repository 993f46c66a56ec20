"""Rows of which no form of the right answer gets more than garbage."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..answers.rewards import FINAL
from .calls import Sheet, called
from .rows import GARBAGE, Case, cases, cell_text

SECONDS = 1.5
"""The time for all rows; the later ones are left out when it is over."""

PLAIN = ";; ~"
"""Garbage without letters and digits: an answer of one digit may be in the other one."""

LONGEST = 40
"""Characters of an answer that is short enough to be compared as a whole."""

FEW = 8
"""The most different values of a column that says of which kind a row is."""


def unpaid(
    function: Callable[..., Any], sheet: Sheet, gold: str
) -> tuple[int, tuple[tuple[int, str], ...]]:
    """How many rows were tried, and the number and the answer of each that gets nothing.

    None are given where a column tells these rows from the others: the function may leave them to
    another one on purpose.
    """
    begun = time.monotonic()
    paid: list[int] = []
    lost: list[int] = []
    for number, row in enumerate(sheet.rows):
        answer = cell_text(row[gold])
        if time.monotonic() - begun > SECONDS:
            break
        if not re.search(r"\w", answer) or len(answer) > LONGEST:
            continue
        texts = list(dict.fromkeys(_texts(row, gold, answer)))
        tried = [Case(number, "", text) for text in (GARBAGE, PLAIN, *texts)]
        garbage, plain, *rewards = called(function, tried, sheet).values
        if any(value != value for value in (garbage, plain, *rewards)):
            continue
        (paid if max(rewards) > min(garbage, plain) else lost).append(number)
    if _are_of_another_kind(_rows(sheet, lost), _rows(sheet, paid), gold):
        lost = []
    unpaid_rows = tuple((number, cell_text(sheet.rows[number][gold])) for number in lost)
    return len(paid) + len(unpaid_rows), unpaid_rows


def _rows(sheet: Sheet, numbers: Sequence[int]) -> list[dict[str, Any]]:
    return [sheet.rows[number] for number in numbers]


def _texts(row: dict[str, Any], gold: str, answer: str) -> list[str]:
    """Completions with the answer, as it is and as it may be written otherwise."""
    return [
        case.text
        for other in spellings(answer)
        for case in cases([{**row, gold: other}], gold, "")
        if case.kind.startswith(("gold", FINAL))
    ]


def spellings(answer: str) -> list[str]:
    """An answer, and other ways to write it: without commas, units, signs, capital letters."""
    plain = answer.strip()
    without_commas = re.sub(r"(?<=\d),(?=\d)", "", plain)
    number = re.search(r"-?\d+(?:\.\d+)?", without_commas)
    others = [answer, plain, plain.strip(" $%.()"), without_commas, plain.lower(), plain.upper(),
              plain.capitalize()]  # fmt: skip
    if number:
        value = float(number[0])
        others += [number[0], f"{value:g}", str(value), f"{value:,.0f}"]
    return [other for other in dict.fromkeys(others) if other]


def _are_of_another_kind(
    lost: Sequence[dict[str, Any]], paid: Sequence[dict[str, Any]], gold: str
) -> bool:
    """Whether a column has values of which the lost rows have others than all of the rest."""
    for column in paid[0] if paid and lost else ():
        if column in (gold, "prompt"):
            continue
        here, there = ({repr(row[column]) for row in rows} for rows in (lost, paid))
        if not here & there and len(here | there) <= FEW:
            return True
    return False
