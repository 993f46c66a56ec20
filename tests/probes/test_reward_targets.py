"""A length that a reward function names, and at which completions get the least."""

from __future__ import annotations

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


def clipped(texts: list[str]) -> list[float]:
    return [min(1.0, value / 40) for value in distance(texts)]


def cosine(texts: list[str]) -> list[float]:
    """Of a text that has at most 40 letters: the limit of generation."""
    return [1 + math.cos(math.pi * len(text) / 40) for text in texts]


@pytest.mark.parametrize(
    ("function", "number"),
    [
        (distance, 40),
        (closeness, None),
        (bounded, 40),
        (clipped, 40),
        (cosine, None),
        (len, None),
    ],
)
def test_the_length_that_gets_the_least(function: Callable[..., Any], number: int | None) -> None:
    least = targets.least_at(function, SHEET, 0.0)
    assert (least.number if least else None) == number
