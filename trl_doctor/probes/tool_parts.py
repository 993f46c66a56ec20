"""The tools of a row: their definitions, and the calls that its messages have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

SPECIFIED = ("parameters", "input_schema", "inputSchema")
"""The key under which a definition has what the tool takes: a call has `arguments` instead."""

CALLS = ("tool_calls", "function_call")
CALLERS = ("function_call", "tool_call")
"""Roles of a message whose text is a call."""

RESULTS = ("tool", "function", "observation", "ipython", "tool_response", "function_response")
"""Roles of a message with what a tool has answered."""

KNOWS_CALLS = re.compile(r"tool_?calls|function_?calls?\b", re.IGNORECASE)
"""What a script says that knows of calls: it writes them in its own way, or takes them out."""

KEYS = (("role", "content"), ("from", "value"))
LONGEST = 200_000
"""Characters of a text that is read as JSON."""


class Tool(NamedTuple):
    """The definition of a tool."""

    name: str
    description: str


def tools_of(cell: Any) -> list[Tool]:
    """The tools that a cell defines, also as JSON; none where it has anything else."""
    cell = _parsed(cell)
    found = [_tool(_parsed(entry)) for entry in cell] if isinstance(cell, (list, tuple)) else []
    return [tool for tool in found if tool] if all(found) else []


def tool_columns(row: Mapping[str, Any]) -> dict[str, list[Tool]]:
    """The columns of a row that define tools."""
    found = {str(name): tools_of(cell) for name, cell in row.items()}
    return {name: tools for name, tools in found.items() if tools}


def talks(row: Mapping[str, Any]) -> Iterator[list[Mapping[str, Any]]]:
    """Each column's messages, where it has some."""
    for value in row.values():
        if isinstance(value, (list, tuple)) and value and all(map(_is_message, value)):
            yield list(value)


def said(message: Mapping[str, Any]) -> tuple[str, str]:
    """The role of a message and its text."""
    by, content = next(keys for keys in KEYS if keys[0] in message)
    text = message.get(content)
    if isinstance(text, (list, tuple)):
        parts = [part.get("text") for part in text if isinstance(part, Mapping)]
        text = "\n".join(part for part in parts if isinstance(part, str))
    return str(message[by]), text if isinstance(text, str) else ""


def calls_of(message: Mapping[str, Any]) -> list[str]:
    """The names of the tools that a message calls."""
    found: list[str] = []
    written = [message.get(key) for key in CALLS]
    for calls in map(_parsed, [*written, said(message)[1] if _is_call(message) else None]):
        for call in calls if isinstance(calls, (list, tuple)) else [calls]:
            call = _parsed(call)
            function = call.get("function", call) if isinstance(call, Mapping) else None
            name = function.get("name") if isinstance(function, Mapping) else function
            if isinstance(name, str) and name:
                found.append(name)
    return found


def _is_call(message: Mapping[str, Any]) -> bool:
    return said(message)[0] in CALLERS


def _tool(entry: Any) -> Tool | None:
    function = entry.get("function") if isinstance(entry, Mapping) else None
    known = function if isinstance(function, Mapping) else entry
    name = known.get("name") if isinstance(known, Mapping) else None
    if not isinstance(name, str) or not name or "arguments" in known:
        return None
    if known is entry and not any(key in known for key in SPECIFIED):
        return None
    return Tool(name, str(known.get("description") or ""))


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and any(
        isinstance(value.get(by), str) and (content in value or any(map(value.get, CALLS)))
        for by, content in KEYS
    )


def _parsed(value: Any) -> Any:
    """What a text of JSON says; all else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") and len(value) < LONGEST:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
