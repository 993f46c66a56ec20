"""Equations as answers, and the right answers that a reward function takes and ignores."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.reward_functions.equations import equation
from trl_doctor.probes.reward_functions.short_forms import short_forms
from trl_doctor.probes.reward_functions.source import reads


@pytest.mark.parametrize(
    ("numbers", "answer"),
    [([19, 36, 7], 48), ([3, 2, 16], -11), ([2, 5, 3], 21), ([7, 2], 3.5), ([1, 2, 3, 4], 24)],
)
def test_numbers_of_a_row_give_its_answer(numbers: list[int], answer: float) -> None:
    text = equation({"nums": numbers, "target": answer}, str(answer))
    assert eval(text) == answer
    assert all(text.count(str(number)) for number in numbers)


@pytest.mark.parametrize(
    ("row", "answer"),
    [({"nums": [1, 1]}, "99"), ({"nums": [3]}, "3"), ({"nums": ["1", "2"]}, "3"), ({}, "3"),
     ({"nums": [1, 2]}, "three"), ({"nums": [0, 0]}, "5"), ({"nums": [1] * 9}, "9")],
)  # fmt: skip
def test_other_rows_have_no_equation(row: dict[str, Any], answer: str) -> None:
    assert equation(row, answer) == ""


def test_an_equation_is_among_the_forms_of_an_answer() -> None:
    row = {"prompt": "Write it in <answer> </answer>.", "nums": [19, 36, 7], "target": 48}
    assert "<answer>19 + 36 - 7</answer>" in short_forms(row, "target")


def zipped(completions: list[str], target: list[str], **more: Any) -> list[float]:
    rewards = []
    for completion, _wanted in zip(completions, target, strict=True):
        rewards.append(float("<answer>" in completion))
    return rewards


def compared(completions: list[str], target: list[str], **more: Any) -> list[float]:
    return [
        float(wanted in completion) for completion, wanted in zip(completions, target, strict=True)
    ]


def ignored(completions: list[str], target: list[str], **more: Any) -> list[float]:
    return [1.0 for _ in completions]


def is_correct(completions: list[str], target: list[str], **more: Any) -> list[float]:
    return [
        float("<answer>" in completion)
        for completion, wanted in zip(completions, target, strict=True)
    ]


def counted(completions: list[str], target: list[str], **more: Any) -> list[float]:
    return [len(target) / len(completions) for _, wanted in zip(completions, target, strict=True)]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(zipped, False), (ignored, False), (compared, True), (counted, True), (is_correct, True)],
)
def test_an_answer_that_is_not_looked_at_is_not_read(function: Any, expected: bool) -> None:
    assert reads(function, "target") is expected
