"""Reward functions of a run whose model can call tools."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.reward_functions import series
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

ROWS = [{"prompt": [{"role": "user", "content": "What?"}], "answer": "4"}]
SHEET = Sheet(ROWS, True, Release((), True, True, True, True), True, lambda text: [])


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions are called with the completions alone."""

    def called(function: Any, cases: list[Case], sheet: Sheet) -> Rewards:
        values = function([sheet.completion(case.text) for case in cases])
        return Rewards(values, len(values), [], 0.0)

    monkeypatch.setattr(series, "called", called)


def has_tool_turn(completions: list[Any]) -> list[float]:
    return [float(any(turn["role"] == "tool" for turn in talk)) for talk in completions]


def calls_two(completions: list[Any]) -> list[float]:
    return [
        float(sum(len(turn.get("tool_calls", ())) for turn in talk) > 1) for talk in completions
    ]


@pytest.mark.parametrize("function", [has_tool_turn, calls_two])
def test_completions_call_the_tools_of_the_run(function: Any) -> None:
    assert set(series.of_variety(function, SHEET)) == {0.0}
    with_tools = SHEET._replace(tools=["add", "look"])
    assert set(series.of_variety(function, with_tools)) == {0.0, 1.0}


def test_the_name_of_a_tool_and_its_errors_are_in_some_completions() -> None:
    sheet = SHEET._replace(tools=["add", "look"])
    turns = [turn for talk in series.tool_turns(sheet.tools) for turn in talk]
    assert {turn["name"] for turn in turns if turn["role"] == "tool"} == {"add", "look"}
    assert any("error" in turn["content"] for turn in turns)


def test_a_completion_that_is_a_text_has_no_turns() -> None:
    texts = SHEET._replace(conversational=False, tools=["add"])
    assert texts.completion("4") == "4"
