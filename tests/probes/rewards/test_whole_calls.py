"""Rewards that belong to a call, and rewards that are looked up by the place in a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.reward_functions.whole_calls import by_place

GOLD = ["1", "2", "3"]
BY_PROMPT = {"one": "1"}


def listed(completions: list[str], **more: Any) -> list[float]:
    return [float(text == GOLD[i]) for i, text in enumerate(completions)]


def counted(prompts: list[str], completions: list[str], **more: Any) -> list[float]:
    scores = []
    for at in range(len(completions)):
        scores.append(float(completions[at] == GOLD[at]))
    return scores


def given(completions: list[str], answer: list[str], **more: Any) -> list[float]:
    return [float(text == answer[i]) for i, text in enumerate(completions)]


def own_list(completions: list[str], **more: Any) -> list[float]:
    wanted = [text.strip() for text in completions]
    return [float(text == wanted[i]) for i, text in enumerate(completions)]


def by_prompt(prompts: list[str], completions: list[str], **more: Any) -> list[float]:
    return [float(text == BY_PROMPT[prompts[i]]) for i, text in enumerate(completions)]


def steps(completions: list[str], **more: Any) -> list[float]:
    return [sum(float(GOLD[i] in text) for i in range(3)) for text in completions]


LAST: list[float] = []
BUFFER = [0.0] * 64


def filled(completions: list[str], **more: Any) -> list[float]:
    LAST.clear()
    for text in completions:
        LAST.append(float(len(text)))
    return [LAST[i] / 2 for i in range(len(completions))]


def written(completions: list[str], **more: Any) -> list[float]:
    for i, text in enumerate(completions):
        BUFFER[i] = float(len(text))
    return [BUFFER[i] / 2 for i in range(len(completions))]


def of_parts(completions: list[str], **more: Any) -> list[float]:
    def said(parts: list[str]) -> float:
        return sum(float(GOLD[i] in part) for i, part in enumerate(parts))

    return [said(text.split(",")) for text in completions]


def of_turns(completions: list[str], **more: Any) -> list[float]:
    turns = [GOLD[i] for i, _ in enumerate(completions[0])]
    return [float(len(turns)) for _ in completions]


def two_loops(completions: list[str], **more: Any) -> list[float]:
    scores = []
    for text in completions:
        parts = text.split(",")
        scores.append(sum(float(GOLD[i] in parts[i]) for i in range(len(parts))))
    return [scores[i] / 2 for i in range(len(completions))]


def one_in_the_other(completions: list[str], **more: Any) -> list[float]:
    scores = []
    for i, text in enumerate(completions):
        points = [float(GOLD[i] in part) for i, part in enumerate(text.split(","))]
        scores.append(sum(points) + i / 100)
    return scores


def nested(completions: list[str], **more: Any) -> list[float]:
    scores = []
    for i, text in enumerate(completions):
        scores.append(max(float(part == GOLD[i]) for part in text.split(",")))
    return scores


@pytest.mark.parametrize("function", [listed, counted, nested])
def test_a_list_is_read_by_the_place(function: Callable[..., Any]) -> None:
    assert by_place(function) == "GOLD"


@pytest.mark.parametrize("function", [
    given, own_list, by_prompt, steps, filled, written, of_parts, of_turns, two_loops,
    one_in_the_other, len, 3])  # fmt: skip
def test_what_belongs_to_a_completion(function: Any) -> None:
    assert by_place(function) == ""
