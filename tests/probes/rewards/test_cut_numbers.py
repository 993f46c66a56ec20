"""Regular expressions that read a part of a number."""

from __future__ import annotations

import re
from typing import Any

import pytest

from trl_doctor.probes.reward_functions.cut_numbers import Cut, cut_answers, cut_texts


def reading(pattern: str) -> Any:
    compiled = re.compile(pattern)

    def score(completions: list[str], answer: list[str]) -> list[float]:
        return [float(bool(compiled.search(one))) for one in completions]

    return score


@pytest.mark.parametrize(
    ("pattern", "answer", "cut"),
    [
        (r"\d.[\d,]+", "13.2", ("3.2", "13.2")),
        (r"answer is (\d)", "42", ("4", "42")),
        (r"<answer>(\d{1,2})</answer>|(\d{2})\.", "123", None),
        (r"\d", "42", None),
        (r"\d+", "13.2", None),
        (r"(\d+)", "42", None),
        (r"-?\d[\d,]*(?:\.\d+)?", "-1,200.5", None),
        (r"(\d)(?=(\d{3})+\b)", "1234567", None),
        (r"answer is (\d)", "a rose", None),
    ],
)
def test_an_answer_is_read_in_part(pattern: str, answer: str, cut: tuple[str, str] | None) -> None:
    found = cut_answers(reading(pattern), [{"answer": answer}])
    assert (found and found[1:]) == cut


def test_what_a_judge_says_is_read_in_part() -> None:
    with cut_texts(["I am 10 years old."]) as cuts:
        assert re.search(r"am (\d)", "I am 10 years old.")
        assert re.search(r"\d", "Score: 10") and re.findall(r"\d", "Score: 10") == ["1", "0"]
        assert re.search(r"Score: (\d)", "Score: 9")
        assert not cuts
        found = re.search(r"Score: (\d)", "Score: 10", re.IGNORECASE)
        assert found and found[1] == "1"
    assert cuts == [Cut(r"Score: (\d)", "1", "10")]
    assert re.search.__module__ == "re"
    with pytest.raises(TypeError), cut_texts([]):
        re.search(r"\d", 5)  # type: ignore[call-overload]
