"""Whether the number that looks like the right answer of a row says how long an answer is to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..answers.rewards import RewardTrial
from .calls import Sheet, rewards_of
from .series import different_words

LEAST, MOST = 4, 5_000
"""Lengths that are tried."""


def is_size(function: Callable[..., Any], sheet: Sheet, gold: str, result: RewardTrial) -> bool:
    """Whether words that mean nothing get more than each right answer if they are as long as it
    says, and less if there are half as many, or twice as many."""
    sizes = [row.get(gold) for row in sheet.rows]
    if not all(type(size) is int and LEAST <= size <= MOST for size in sizes):
        return False
    best: dict[int, float] = {}
    for row, kind, value in result.values:
        if kind.startswith("gold"):
            best[row] = max(value, best.get(row, value))
    letters = sheet._replace(ids=lambda text: [1])
    words = sheet._replace(ids=lambda text: [1] * len(text.split()))
    return any(
        all(_is_best(function, paper, row, sizes[row], best[row], cut) for row in best)
        for paper, cut in ((letters, True), (words, False))
    )


def _is_best(
    function: Callable[..., Any], sheet: Sheet, row: int, size: Any, best: float, cut: bool
) -> bool:
    texts = []
    for count in (size // 2, size, 2 * size):
        text = " ".join(different_words(count))
        texts.append(text[:count].rstrip().ljust(count, "x") if cut else text)
    values = rewards_of(function, texts, sheet, row)
    return len(values) == len(texts) and values[1] > max(best, values[0], values[2])
