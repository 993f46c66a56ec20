"""A length that a reward function names, and near which completions get the least."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from trl_doctor.probes.reward_functions import calls, targets
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

SHEET = Sheet([{"prompt": "What?"}], True, Release((), True, True, True, True), False, list)
NEVER = float("inf")


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(function: Callable[..., Any], cases: Sequence[Case], sheet: Sheet) -> Rewards:
        rewards = function([case.text for case in cases])
        return Rewards(rewards, len(rewards), [], 0.0)

    monkeypatch.setattr(calls, "called", called)


def distance(texts: list[str]) -> list[float]:
    return [float(abs(40 - len(text))) for text in texts]


def closeness(texts: list[str]) -> list[float]:
    return [-value for value in distance(texts)]


def bounded(texts: list[str]) -> list[float]:
    return [min(NEVER, float(abs(40 - len(text)))) for text in texts]


def capped(texts: list[str]) -> list[float]:
    return [min(1.0, abs(40 - len(text)) / 40) for text in texts]


def cosine(texts: list[str], most: int = 40) -> list[float]:
    return [1.0 + math.cos(math.pi * len(text) / most) for text in texts]


def kept_cosine(texts: list[str], most: int = 40) -> list[float]:
    return [1.0 + math.cos(math.pi * min(1.0, len(text) / most)) for text in texts]


def half_cosine(texts: list[str]) -> list[float]:
    return [math.cos(math.pi / 2 * len(text) / 40) for text in texts]


def sine(texts: list[str]) -> list[float]:
    return [math.sin(math.pi * len(text) / 40) for text in texts]


def words_of(texts: list[str]) -> list[float]:
    return [(1 - len(text.split()) / 40) ** 2 for text in texts]


def right_only(texts: list[str]) -> list[float]:
    paid = cosine([text for text in texts])
    return [value if text.endswith("42") else 0.0 for text, value in zip(texts, paid, strict=True)]


class Limits:
    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, texts: list[str]) -> list[float]:
        return cosine(texts, self.most)


def different(texts: list[str]) -> list[float]:
    """By the words of a text, not by its length."""
    return [math.cos(sum(map(ord, text)) / 40) for text in texts]


def overlong(texts: list[str]) -> list[float]:
    return [min(0.0, max(-1.0, (40 - len(text)) / 20)) for text in texts]


def steps(texts: list[str]) -> list[float]:
    return [0.2 if len(text) < 40 else 1.0 if len(text) < 200 else 0.5 for text in texts]


@pytest.mark.parametrize(
    ("function", "kind", "number"),
    [
        (distance, "least_at", 40),
        (bounded, "least_at", 40),
        (words_of, "least_at", 40),
        (capped, "rises_again", 40),
        (cosine, "rises_again", 40),
        (functools.partial(cosine, most=64), "rises_again", 64),
        (Limits(48), "rises_again", 48),
        (right_only, "rises_again", 40),
        (half_cosine, "rises_again", 80),
        (sine, "rises_again", 60),
        *((function, "", 0) for function in (closeness, kept_cosine, different, overlong, steps)),
        (functools.partial(kept_cosine, most=64), "", 0),
        (len, "", 0),
    ],
)
def test_the_length_that_gets_the_least(
    function: Callable[..., Any], kind: str, number: int
) -> None:
    cases = [Case(0, "gold: alone", "42"), Case(0, "garbage", "x")]
    found = targets.least(function, SHEET, 0.0, cases)
    told = {name: least.number for name, least in found.items() if least}
    assert told == ({kind: number} if kind else {})
