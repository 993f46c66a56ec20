"""Reward functions that miss right answers of several lines."""

from __future__ import annotations

import re
from typing import Any

from test_reward_series import SHEET

from trl_doctor.probes.reward_functions import calls, line_ends, several_lines
from trl_doctor.probes.reward_functions.calls import Rewards
from trl_doctor.probes.reward_functions.rows import Case, cases

ROW = {"prompt": "Write <think> and <answer>.", "answer": "4"}
FORM = r"<think>\n.*\n</think>\n<answer>"


def _misses(monkeypatch: Any, score: Any, row: Any = ROW) -> bool:
    def called(function: Any, tried: list[Case], sheet: Any) -> Rewards:
        values = [float(function(case.text)) for case in tried]
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(calls, "called", called)
    sheet = SHEET._replace(rows=[row])
    return several_lines.misses_lines(score, sheet, cases([row], "answer", "long"), "answer")


def test_a_pattern_of_one_line_misses_the_reasoning_of_two(monkeypatch: Any) -> None:
    one, all_ = re.compile(FORM), re.compile(FORM, re.DOTALL)
    assert _misses(monkeypatch, lambda text: bool(one.search(text)))
    assert not _misses(monkeypatch, lambda text: bool(all_.search(text)))
    assert not _misses(monkeypatch, lambda text: "4" in text)
    assert not _misses(monkeypatch, lambda text: len(text) > 9)
    assert not _misses(monkeypatch, lambda text: False)


def test_a_function_that_counts_lines_has_no_pattern_of_one(monkeypatch: Any) -> None:
    def stanza(text: str) -> float:
        return 1.0 - len(text.splitlines()) % 4 / 4 if text else 0.0

    assert not _misses(monkeypatch, stanza)


FLAT = re.compile(r"^<think>.*</think>\s*<answer>(.*)</answer>$")
ONE_ON_PURPOSE = re.compile(r"^<think>[^\n]+</think>\s*<answer>(.*)</answer>$")
SCRATCH = re.compile(r"<scratchpad>.+</scratchpad>")
TITLE = re.compile(r"<title>.+</title>")


def test_forms_are_tried_that_stand_in_one_line(monkeypatch: Any) -> None:
    assert _misses(monkeypatch, lambda text: bool(FLAT.match(text)))
    asked = {**ROW, "prompt": "Think in one line in <think>, then <answer>."}
    assert not _misses(monkeypatch, lambda text: bool(FLAT.match(text)), asked)
    asked["prompt"] = "Write the result on the first line, and your reasoning behind it."
    assert not _misses(monkeypatch, lambda text: bool(FLAT.match(text)), asked)
    assert not _misses(monkeypatch, lambda text: bool(ONE_ON_PURPOSE.match(text)))
    assert not _misses(monkeypatch, lambda text: bool(FLAT.match(" ".join(text.split()))))
    assert _misses(monkeypatch, lambda text: bool(SCRATCH.search(text)))
    assert not _misses(monkeypatch, lambda text: bool(TITLE.search(text)))


def test_two_labels_make_one_form(monkeypatch: Any) -> None:
    row = {"prompt": "Write Thoughts: and then Result: please.", "answer": "4"}
    flags = {"": re.compile(r"Thoughts: .+\s*Result: 4"),
             "s": re.compile(r"Thoughts: .+\s*Result: 4", re.DOTALL)}  # fmt: skip
    assert _misses(monkeypatch, lambda text: bool(flags[""].search(text)), row)
    assert not _misses(monkeypatch, lambda text: bool(flags["s"].search(text)), row)


def _asks_for_line_end(monkeypatch: Any, score: Any) -> bool:
    def called(function: Any, tried: list[Case], sheet: Any) -> Rewards:
        values = [float(function(case.text)) for case in tried]
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(calls, "called", called)
    tried = cases([ROW], "answer", "long")
    return line_ends.asks_for_line_end(score, SHEET._replace(rows=[ROW]), tried, "answer")


def test_a_line_break_is_asked_for_where_no_other_letter_is_paid_for(monkeypatch: Any) -> None:
    assert _asks_for_line_end(monkeypatch, lambda text: text.endswith("4\n"))
    assert not _asks_for_line_end(monkeypatch, lambda text: text.strip().endswith("4"))
    longest = max(len(case.text.rstrip()) for case in cases([ROW], "answer", "long"))
    assert not _asks_for_line_end(monkeypatch, lambda text: len(text) > longest)
