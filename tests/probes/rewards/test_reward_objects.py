"""Objects, partials and methods that are reward functions: their names, code, and stand-ins."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.reward_calls.reward_objects import in_place_of, is_async
from trl_doctor.probes.reward_functions.source import name_of, reads, where


class Right:
    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def __call__(self, completions: list[str], **columns: Any) -> list[float]:
        return [self.one(text, row) for row, text in enumerate(completions)]

    def one(self, text: str, row: Any) -> float:
        return self.weight * float(text == row["answer"])


class Inherited(Right):
    pass


def scaled(completions: list[str], by: float, solution: str = "") -> list[float]:
    return [by * len(solution) for _ in completions]


async def judged(completions: list[str]) -> list[float]:
    return [1.0 for _ in completions]


class Judge:
    async def __call__(self, completions: list[str]) -> list[float]:
        return await judged(completions)


PARTIAL = functools.partial(functools.partial(scaled, by=2.0), solution="x")


@pytest.mark.parametrize(
    ("function", "name", "column"),
    [
        (Right(), "Right", "answer"),
        (Inherited(), "Inherited", "answer"),
        (Right().one, "one", "answer"),
        (PARTIAL, "scaled", "solution"),
    ],
)
def test_names_and_code_of_what_is_called(function: Any, name: str, column: str) -> None:
    assert name_of(function) == name
    assert reads(function, column)
    assert not reads(function, "label")
    assert where(function)[0] == __file__


def test_a_stand_in_is_called_and_looks_like_the_object() -> None:
    right = Right()
    instead = in_place_of(right, lambda **given: "seen")
    assert instead(completions=[]) == "seen"
    assert isinstance(instead, Right)
    assert type(instead).__name__ == name_of(instead) == "Right"
    instead.weight = 3.0
    assert right.weight == instead.weight == 3.0
    assert reads(instead, "answer")
    with pytest.raises(AttributeError):
        instead.__name__  # noqa: B018


def test_a_stand_in_of_a_partial_is_one() -> None:
    instead = in_place_of(PARTIAL, lambda **given: [])
    assert isinstance(instead, functools.partial)
    assert name_of(instead) == "scaled"


def test_what_has_to_be_awaited_still_has() -> None:
    assert not is_async(Right())
    for function in (judged, Judge(), functools.partial(Judge())):
        assert is_async(function)
        instead = in_place_of(function, judged)
        assert is_async(instead)
        assert asyncio.run(instead(completions=["a"])) == [1.0]
