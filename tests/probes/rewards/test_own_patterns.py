"""Texts that match the patterns of a reward function."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from trl_doctor.probes.reward_functions.own_patterns import samples

SCORE = re.compile(r"^Score:\s*([1-5])/5$", re.MULTILINE)
TOOLS = range(20)


def chosen(text: str) -> list[int] | None:
    found = re.search(r"<answer>\s*([\d, ]+)</answer>", text)
    return [int(one) for one in found.group(1).split(",") if one.strip()] if found else None


def tools(completions: list[str]) -> list[float]:
    numbers = [chosen(text) for text in completions]
    return [float(bool(one) and all(tool in TOOLS for tool in one or ())) for one in numbers]


def scored(completions: list[str]) -> list[float]:
    return [float(bool(SCORE.search(text))) for text in completions]


def tagged(completions: list[str]) -> list[float]:
    pattern = r"^<plan>.*?</plan>\s*<do>(?P<quote>['\"])[^<>]{2,}(?P=quote)</do>$"
    return [float(bool(re.match(pattern, text, re.DOTALL))) for text in completions]


def two(completions: list[str]) -> list[float]:
    return [
        float(bool(re.search(r"\b[A-D]\)", text) and re.search(r"\d{2}-\d{2}", text)))
        for text in completions
    ]


class Planned:
    def __init__(self) -> None:
        self.pattern = re.compile(r"^Plan:\s\d+ steps$")

    def __call__(self, completions: list[str]) -> list[float]:
        return [self.one(text) for text in completions]

    def one(self, text: str) -> float:
        return float(bool(self.pattern.search(text)))


@pytest.mark.parametrize("function", [tools, scored, tagged, two, Planned(), Planned().__call__])
def test_a_function_that_looks_for_a_pattern_pays_for_a_text_that_matches(
    function: Callable[[list[str]], list[float]],
) -> None:
    assert max(function(samples(function))) == 1.0


def test_a_function_without_patterns_and_one_that_cannot_be_read_have_none() -> None:
    def of_length(completions: list[str]) -> list[float]:
        """Shorter (is better)."""
        return [float(len(text)) for text in completions]

    assert samples(of_length) == []
    assert samples(len) == []


def test_what_no_text_can_match_gives_none() -> None:
    def never(completions: list[str]) -> list[float]:
        return [float(bool(re.search(r"a\Bb(?<!b)", text))) for text in completions]

    assert samples(never) == []
