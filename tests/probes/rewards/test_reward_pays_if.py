"""What keeps a reward function that gives all completions the same from paying."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from trl_doctor.probes.reward_functions import calls, pays_if
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case, cases

RELEASE = Release((), True, True, True, True)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions are called with the completions and the right answers."""

    def called(function: Callable[..., Any], tried: Sequence[Case], sheet: Sheet) -> Rewards:
        answers = [sheet.rows[case.row]["answer"] for case in tried]
        values = function([sheet.completion(case.text) for case in tried], answers)
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(calls, "called", called)


def text_of(completion: Any) -> str:
    return completion if isinstance(completion, str) else completion[-1]["content"]


def same(completions: list[Any], answer: list[Any]) -> list[float]:
    texts = [text_of(one).rpartition("answer is ")[2].strip(" .") for one in completions]
    return [float(text == right) for text, right in zip(texts, answer, strict=True)]


def as_number(completions: list[Any], answer: list[Any]) -> list[float]:
    found = [re.findall(r"\d+", text_of(one)) for one in completions]
    return [
        float(bool(one) and int(one[-1]) == right) for one, right in zip(found, answer, strict=True)
    ]


def printed(completions: list[Any], answer: list[Any]) -> list[float]:
    return [float(bool(re.match("<answer>.*</answer>", str(one)))) for one in completions]


def never(completions: list[Any], answer: list[Any]) -> list[float]:
    return [0.0 for _ in completions]


@pytest.mark.parametrize(
    ("function", "answer", "expected"),
    [
        (same, " 42", "stripped"),
        (same, 42, "as texts"),
        (same, "42", ""),
        (as_number, "42", "as numbers"),
        (as_number, 42, ""),
        (printed, "42", "texts"),
        (never, " 42", ""),
    ],
)
def test_the_change_with_which_it_pays(function: Any, answer: Any, expected: str) -> None:
    rows = [{"prompt": [{"role": "user", "content": "What?"}], "answer": answer}]
    sheet = Sheet(rows, True, RELEASE, True, lambda text: [])
    assert pays_if.pays_if(function, sheet, cases(rows, "answer", ""), "answer") == expected
