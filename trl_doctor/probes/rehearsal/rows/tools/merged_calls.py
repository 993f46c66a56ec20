"""Calls of tools that have the arguments of all tools, most of them null.

Arrow gives all cells of a column one form: `{"city": "Oslo"}` beside `{"x": 1}` becomes
`{"city": "Oslo", "x": None}`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..letters import text_of

COMPARED, FEWEST = 64, 2
"""Rows that are looked at, at most, and rows with such a call at least."""

CALL = re.compile(r'"name"\s*:\s*"([\w.-]+)"\s*,\s*"(?:arguments|parameters)"\s*:\s*(?={)')
"""The usual form of a call in a text, before its arguments."""

TOOL = re.compile(r'"name"\s*:\s*"([\w.-]+)"')
"""Where a text names a tool: its description goes to the next one."""


def merged_calls(prepared: Any, tokenizer: Any) -> list[str] | None:
    """A tool, an argument that only other tools get and its call has, and of how many rows."""
    texts = [text_of(row, tokenizer) for row in itertools.islice(iter(prepared), COMPARED)]
    calls = [list(_calls(text)) for text in texts]
    given: dict[str, set[str]] = {}
    for name, arguments in itertools.chain.from_iterable(calls):
        known = {key for key, value in arguments.items() if value is not None}
        given.setdefault(name, set()).update(known)
    found = [
        first
        for text, of_row in zip(texts, calls)
        for first in itertools.islice(_strange(of_row, given), 1)
        if not _declares(text, *first)
    ]
    return [*found[0], str(len(found))] if len(found) >= FEWEST else None


def _strange(
    calls: list[tuple[str, Mapping[str, Any]]], given: Mapping[str, set[str]]
) -> Iterator[tuple[str, str]]:
    """The calls of a row with null for what no call of this tool gets, and calls of others do."""
    for name, arguments in calls:
        others = set[str]().union(*(keys for tool, keys in given.items() if tool != name))
        for key, value in arguments.items():
            if value is None and key not in given[name] and key in others:
                yield name, key


def _declares(text: str, tool: str, argument: str) -> bool:
    """Whether the description of a tool in a text has this argument among its own."""
    parts = TOOL.split(text)
    return any(
        name == tool and re.search(rf'"{re.escape(argument)}"\s*:\s*{{', part)
        for name, part in zip(parts[1::2], parts[2::2])
    )


def _calls(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for match in CALL.finditer(text):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(arguments, Mapping):
            yield match[1], arguments
