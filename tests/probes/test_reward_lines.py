"""Reward functions that miss right answers of several lines."""

from __future__ import annotations

import re
from typing import Any

from test_reward_series import SHEET

from trl_doctor.probes.reward_functions import several_lines
from trl_doctor.probes.reward_functions.calls import Rewards
from trl_doctor.probes.reward_functions.rows import Case, cases

ROW = {"prompt": "Write <think> and <answer>.", "answer": "4"}
FORM = r"<think>\n.*\n</think>\n<answer>"


def _misses(monkeypatch: Any, score: Any) -> bool:
    def called(function: Any, tried: list[Case], sheet: Any) -> Rewards:
        values = [float(function(case.text)) for case in tried]
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(several_lines, "called", called)
    return several_lines.misses_lines(score, SHEET, cases([ROW], "answer", "long"))


def test_a_pattern_of_one_line_misses_the_reasoning_of_two(monkeypatch: Any) -> None:
    one, all_ = re.compile(FORM), re.compile(FORM, re.DOTALL)
    assert _misses(monkeypatch, lambda text: bool(one.search(text)))
    assert not _misses(monkeypatch, lambda text: bool(all_.search(text)))
    assert not _misses(monkeypatch, lambda text: "4" in text)
    assert not _misses(monkeypatch, lambda text: len(text) > 9)
    assert not _misses(monkeypatch, lambda text: False)
