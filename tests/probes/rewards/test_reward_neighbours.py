"""Rewards of a place in the batch, and rewards of completions that are compared with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from trl_doctor.probes.reward_functions import of_other_rows
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

ANSWERS = ("4", "66", "888", "10", "12")
ROWS = [{"prompt": "What?", "answer": answer} for answer in ANSWERS]
SHEET = Sheet(ROWS, True, Release((), True, True, True, True), False, lambda text: [])
CASES = [Case(row, "gold: alone", answer) for row, answer in enumerate(ANSWERS)]


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(
        function: Callable[..., list[float]], cases: Sequence[Case], sheet: Sheet
    ) -> Rewards:
        answers = [sheet.rows[case.row]["answer"] for case in cases]
        rewards = function([case.text for case in cases], answers)
        return Rewards(rewards, len(rewards), [], 0.0)

    monkeypatch.setattr(of_other_rows, "called", called)


def of_a_row_of_its_own(completions: list[str], answers: list[str]) -> list[float]:
    return [float(text == ANSWERS[at % len(ANSWERS)]) for at, text in enumerate(completions)]


def shortest_of_two(completions: list[str], answers: list[str]) -> list[float]:
    right = [float(gold in text) for text, gold in zip(completions, answers, strict=True)]
    for start in range(0, len(right), 2):
        pair = range(start, min(start + 2, len(right)))
        right[min(pair, key=lambda at: len(completions[at]))] += 0.5
    return right


def longer_than_the_next(completions: list[str], answers: list[str]) -> list[float]:
    after = [*completions[1:], completions[0]]
    return [float(len(text) > len(other)) for text, other in zip(completions, after, strict=True)]


def for_half_of_the_batch(completions: list[str], answers: list[str]) -> list[float]:
    left, rewards = max(1, len(completions) // 2), []
    for text, gold in zip(completions, answers, strict=True):
        rewards.append(float(gold in text and left > 0))
        left -= int(rewards[-1])
    return rewards


def by_rank(completions: list[str], answers: list[str]) -> list[float]:
    scores = [len(text) % 2 for text in completions]
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return [float(len(scores) - order.index(at)) for at in range(len(scores))]


@pytest.mark.parametrize(
    ("function", "of_place"),
    [
        (of_a_row_of_its_own, True),
        (shortest_of_two, False),
        (longer_than_the_next, False),
        (by_rank, False),
        (for_half_of_the_batch, False),
    ],
)
def test_a_reward_of_the_place_alone(function: Callable[..., list[float]], of_place: bool) -> None:
    assert of_other_rows.of_place(function, SHEET, CASES) is of_place


def of_itself(completions: list[str], answers: list[str]) -> list[float]:
    return [float(gold in text) for text, gold in zip(completions, answers, strict=True)]


@pytest.mark.parametrize(
    ("function", "compares"),
    [(of_itself, False), (longer_than_the_next, True), (shortest_of_two, True)],
)
def test_rewards_that_are_compared(function: Callable[..., list[float]], compares: bool) -> None:
    cases = [CASES[0], Case(0, "gold: boxed", "It is 4."), *CASES[1:]]
    assert of_other_rows.compares(function, SHEET, cases) is compares
