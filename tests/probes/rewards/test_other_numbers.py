"""Reward functions that read another number than the answer, and solutions that are cut."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from test_reward_series import SHEET

from trl_doctor.probes.reward_functions import cut_solutions, other_numbers
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.cut_solutions import Limit
from trl_doctor.probes.reward_functions.other_numbers import continuation
from trl_doctor.probes.reward_functions.rows import Case

SHOTS = "Q: 2+3?\nA: 5\n\nQ: 3+5?\nA: 8\n\nQ: 3+4?\nA:"
STEPS = "What is 3+4? Think step by step."
AFTER = "What is 3+4? Give the answer first, then explain it."
Score = Callable[[str], Any]


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions are called with the texts."""

    def called(function: Score, tried: list[Case], sheet: Sheet) -> Rewards:
        values = [float(function(case.text)) for case in tried]
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(other_numbers, "called", called)
    monkeypatch.setattr(cut_solutions, "called", called)


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _kind(prompt: Any, score: Score, limit: int | None = 99) -> str:
    sheet = SHEET._replace(rows=[{"prompt": prompt, "answer": "7"}], ids=lambda text: [*text])
    return other_numbers.other_number(score, sheet, "answer", limit)[0]


def last(text: str) -> bool:
    return numbers(text)[-1:] == ["7"]


def first(text: str) -> bool:
    return numbers(text)[:1] == ["7"]


def test_the_last_number_is_another_one_where_a_model_goes_on() -> None:
    assert _kind(SHOTS, last) == "example"
    assert not _kind(SHOTS, first)
    assert not _kind(SHOTS, lambda text: last(text.split("\nQ")[0]))
    assert not _kind(SHOTS, last, 4)
    assert not _kind(SHOTS, last, None)
    assert not _kind([{"role": "user", "content": SHOTS}], last)
    assert not _kind(SHOTS, lambda text: text.strip() == "7")  # it wants nothing else at all
    assert _kind(AFTER, last) == "after"
    assert not _kind(AFTER, first)
    assert not _kind("What is 3+4?", last)
    assert not _kind(STEPS, last)


def test_the_first_number_is_another_one_after_steps() -> None:
    assert _kind(STEPS, first) == "before"
    assert not _kind("What is 3+4?", first)
    assert not _kind(f"{STEPS} Write only the number.", first)
    assert not _kind(STEPS, lambda text: "boxed{7}" in text or first(text))
    assert not _kind(STEPS, lambda text: first(text.split("</think>")[-1].split("\n")[-1]))


@pytest.mark.parametrize(
    ("prompt", "more"),
    (
        ("Examples: 2+3=5. 4+1=5. 6+2=8.\nNow: 3+4=", ". 4+1=5"),
        ("12 + 3 = 15\n4 + 5 = 9\n7 + 8 =", "\n4 + 5 = 9"),
        (SHOTS, "\n\nQ: 3+5?\nA: 8"),
        ("Q: a?\nA: 3+2=5. It is 5.\n\nQ: b?\nA: It is 6.\n\nQ: c?\nA:",
         ".\n\nQ: b?\nA: It is 6"),
        ("If x = 3 and y = 4, then x + y =", ""),
        ("Question: what is 3+4?\nAnswer:", ""),
        ("Q: who?\nA: Ann\n\nQ: and?\nA: Bob\n\nQ: so?\nA:", ""),
        ("What is 2 + 3?", ""),
    ),
)  # fmt: skip
def test_another_example_is_taken_from_the_prompt(prompt: str, more: str) -> None:
    assert continuation(prompt) == more


def _cut(limit: Limit, score: Score = last, prompt: str = "What is 3+4?", end: str = "7") -> Any:
    row = {"prompt": prompt, "worked": f"{'one and two ' * 9}is {end}", "answer": "7"}
    sheet = SHEET._replace(rows=[row] * 8, ids=lambda text: [*map(ord, text)])
    decode = "".join
    return cut_solutions.cut_solutions(
        score, sheet, "answer", limit, lambda ids: decode(map(chr, ids))
    )


def test_solutions_are_cut_where_their_end_alone_is_paid_for() -> None:
    found = _cut(Limit(64, False))
    assert (found.column, found.cut, found.tried) == ("worked", 8, 8)
    assert found.tokens > found.limit
    assert not _cut(Limit(640, False))
    assert not _cut(Limit(64, True))  # the script's own limit; the column is not the answers'
    assert not _cut(Limit(64, False), lambda text: "two" in text)
    assert not _cut(Limit(64, False), len)
    assert not _cut(Limit(64, False), prompt="Answer with a single number. What is 3+4?")
    assert not _cut(Limit(64, False), prompt="Answer with the number.\nWhat is 3+4?")
    assert not _cut(Limit(64, False), end="9")
