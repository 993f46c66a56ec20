"""A sum of a row's numbers that gives its answer: what a model writes in the game Countdown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

FEWEST, MOST = 2, 4
"""Numbers of a row that are put together; more would take long."""

SIGNS = "+-*/"


def equation(row: dict[str, Any], answer: str) -> str:
    """Each number of a list in the row once, put together so that they give the answer; or ""."""
    try:
        wanted = float(answer)
    except ValueError:
        return ""
    for numbers in _lists(row):
        for text, value in _sums(numbers):
            if math.isclose(value, wanted, abs_tol=1e-9):
                return text
    return ""


def _lists(row: dict[str, Any]) -> Iterator[list[int]]:
    for value in row.values():
        if not isinstance(value, list) or not FEWEST <= len(value) <= MOST:
            continue
        if all(type(number) is int for number in value):
            yield value


def _sums(numbers: list[int]) -> Iterator[tuple[str, float]]:
    """All ways to put numbers together from left to right, with parentheses where needed."""
    for first, *others in itertools.permutations(numbers):
        for signs in itertools.product(SIGNS, repeat=len(others)):
            text, value, is_sum = str(first), float(first), False
            for sign, number in zip(signs, others):
                if sign == "/" and not number:
                    break
                if sign in "*/" and is_sum:
                    text = f"({text})"
                is_sum = sign in "+-"
                text = f"{text} {sign} {number}"
                value = {"+": value + number, "-": value - number, "*": value * number,
                         "/": value / (number or 1)}[sign]  # fmt: skip
            else:
                yield text, value
