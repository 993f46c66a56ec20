"""Tools whose definitions, calls or answers are not in what is trained on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.sources import Row
from trl_doctor.probes.rehearsal.rows.tools import lost_tools as module
from trl_doctor.probes.tool_parts import calls_of, tools_of

Turns = list[dict[str, Any]]
TOOL = {"function": {"name": "find", "description": "Finds a street of the town"}}
CITIES = ("Oslo", "Lima", "Bern", "Rome")


def row(city: str) -> dict[str, Any]:
    call = {"function": {"name": "find", "arguments": {"city": city}}}
    messages = [
        {"role": "user", "content": f"Which street is in {city}?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": f"the long road of {city}"},
        {"role": "assistant", "content": f"In {city} it is a road."},
    ]
    return {"messages": messages, "tools": [TOOL]}


def plain(message: dict[str, Any]) -> dict[str, Any]:
    return {"role": message["role"], "content": message["content"]}


def found(change: Callable[[Turns], Any], tools: Any = None) -> list[str]:
    read: list[Row] = [row(city) for city in CITIES]
    rows = [{"messages": change(one["messages"]), "tools": tools} for one in read]
    return [mistake.what for mistake in module.lost_tools([read], rows, None)]


@pytest.fixture(autouse=True)
def without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "own_files", list)
    monkeypatch.setattr(module, "says", lambda pattern: False)


def chat(messages: Turns) -> Turns:
    return [one for one in messages if one["role"] != "tool"]


def told(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def grounded(messages: Turns) -> dict[str, Any]:
    """The question together with what the tool has answered."""
    return {"role": "user", "content": f"{messages[2]['content']}\n{messages[0]['content']}"}


@pytest.mark.parametrize(
    ("change", "tools", "lost"),
    [
        (lambda messages: messages, [TOOL], []),
        (lambda messages: messages, json.dumps([TOOL]), []),
        (lambda messages: messages, None, ["tools left out"]),
        (lambda messages: list(map(plain, messages)), [TOOL], ["calls lost"]),
        (lambda messages: list(map(plain, chat(messages))), [TOOL], []),
        (lambda messages: [plain(messages[0]), plain(messages[-1])], None, []),
        (chat, [TOOL], ["tool results lost"]),
        (lambda messages: messages[:2], [TOOL], []),
        (lambda messages: [told("find(city)"), *messages], None, []),
        (lambda messages: [told("A guide."), *messages], None, ["tools left out"]),
        (lambda messages: [grounded(messages), plain(messages[-1])], None, []),
        (lambda messages: [{"role": "user", "content": json.dumps(messages)}], [TOOL], []),
    ],
)
def test_what_is_lost(change: Callable[[Turns], Any], tools: Any, lost: list[str]) -> None:
    assert found(change, tools) == lost


def test_definitions_and_calls_are_told_apart() -> None:
    name = {"name": "find", "arguments": {}}
    assert tools_of([name]) == tools_of("no JSON") == tools_of([]) == tools_of([TOOL, "a"]) == []
    assert [tool.name for tool in tools_of(json.dumps([{"name": "find", "parameters": {}}]))] == [
        "find"
    ]
    assert calls_of({"from": "function_call", "value": json.dumps(name)}) == ["find"]
    assert calls_of({"role": "assistant", "content": "find", "tool_calls": None}) == []
