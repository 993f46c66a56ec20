"""A length that a reward function names, and at which completions get the least."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..answers.rewards import LeastAt
from .calls import Sheet, rewards_of
from .own_patterns import own_values
from .series import PATIENCE, different_words

SHORTEST, LONGEST = 8, 2000
"""Lengths that are tried."""

MOST = 6
"""Numbers of a function that are tried."""

TIMES = (0.25, 0.5, 1, 2, 3, 4)
"""The lengths of the completions, as parts of the number. A cosine comes back to its least at 3."""


def least_at(function: Callable[..., Any], sheet: Sheet, seconds: float) -> LeastAt | None:
    """The number, if shorter and longer completions get more the further they are from it.

    A length that is wanted has the highest reward, so this one has the wrong sign.
    """
    for number in list(dict.fromkeys(_numbers(function)))[:MOST]:
        lengths = [int(number * times) for times in TIMES]
        if seconds * len(lengths) > PATIENCE:
            return None
        words = different_words(lengths[-1])
        by_letter = rewards_of(function, [" ".join(words)[:length] for length in lengths], sheet)
        if _is_valley(by_letter):
            return LeastAt(number, "characters", tuple(lengths), tuple(by_letter))
        token_each = sheet._replace(ids=lambda text: [1] * len(text.split()))
        by_word = rewards_of(function, [" ".join(words[:length]) for length in lengths], token_each)
        if _is_valley(by_word):
            return LeastAt(number, "words", tuple(lengths), tuple(by_word))
    return None


def _numbers(function: Any) -> Iterator[int]:
    """Whole numbers of a function, or of functions that it names."""
    for value in own_values(function):
        if type(value) in (int, float) and SHORTEST <= value <= LONGEST and value == int(value):
            yield int(value)


def _is_valley(values: list[float]) -> bool:
    if len(values) != len(TIMES):
        return False
    shortest, shorter, middle, longer, long, longest = values
    return shortest >= shorter > middle < longer <= long <= longest
