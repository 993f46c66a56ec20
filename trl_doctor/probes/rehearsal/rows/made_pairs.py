"""Which of two answers a script's `map` calls chosen, beside the scores that its rows had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .sources import Row

FEWEST, MOST = 6, 0.8
"""Pairs with two scores from which on they are judged, and the share that must be reversed."""

SCORES = re.compile(r"score|rating|reward|upvotes|helpful|quality", re.IGNORECASE)
"""Names of numbers that are higher for a better answer."""

LOWER = re.compile(
    r"(?<!non)(?<!non_)toxic|harm(?!less)|danger|unsafe|hate|error|risk|penal|perplex|loss|distance"
    r"|hallucinat",
    re.IGNORECASE,
)
"""Parts of the names of numbers that are lower for a better answer."""

Scored = tuple[str, float]
"""The name of a score, and the score."""


def reversed_pairs(before: list[Row], after: list[Row]) -> list[str] | None:
    """The score's name, an example of both scores and the counts; None if pairs are as they score.

    `after` are the rows that became of the rows `before`, in the same order.
    """
    judged = reversed_ = 0
    shown: tuple[str, float, float] | None = None
    for row, pair in zip(before, after):
        scores = dict(_scored(row))
        chosen, rejected = (scores.get(_said(pair.get(name))) for name in ("chosen", "rejected"))
        if not chosen or not rejected or chosen[0] != rejected[0] or chosen[1] == rejected[1]:
            continue
        judged += 1
        if chosen[1] < rejected[1]:
            reversed_ += 1
            shown = shown or (chosen[0], chosen[1], rejected[1])
    if shown is None or judged < FEWEST or reversed_ < MOST * judged:
        return None
    name, low, high = shown
    return [name, f"{low:g}", f"{high:g}", str(reversed_), str(judged)]


def _said(answer: Any) -> str:
    """The text of an answer, or of the last message of one."""
    if isinstance(answer, list) and answer:
        answer = answer[-1]
    if isinstance(answer, Mapping):
        answer = answer.get("content")
    return answer.strip() if isinstance(answer, str) else ""


def _scored(value: Any) -> Iterator[tuple[str, Scored]]:
    """Each text of a row that has one score beside it, with the score."""
    if isinstance(value, list):
        for part in value:
            yield from _scored(part)
    if not isinstance(value, Mapping):
        return
    numbers = {
        str(name): float(part)
        for name, part in value.items()
        if SCORES.search(str(name)) and not LOWER.search(str(name)) and type(part) in (int, float)
    }
    for name, part in value.items():
        if isinstance(part, str) and part.strip():
            if score := _beside(str(name), numbers):
                yield part.strip(), score
        else:
            yield from _scored(part)


def _beside(name: str, numbers: Mapping[str, float]) -> Scored | None:
    """The only score of a text's object, or the one whose name ends as that of the text."""
    if len(numbers) == 1:
        return next(iter(numbers.items()))
    end = re.search(r"_?(?:\d+|[ab])$", name, re.IGNORECASE)
    for score, number in numbers.items():
        if end and score.endswith(end[0]):
            return score[: -len(end[0])], number
    return None
