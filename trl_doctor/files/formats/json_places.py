"""JSON text: the place of each part, and of what is wrong with it; imported for places only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from trl_doctor.files.formats.text import DEPTH_LIMIT, Invalid, Position, list_index, position

# groups repeat inside of (?>…): Python before 3.11.5 repeats a possessive group wrongly
_BLANK = re.compile(r"[ \t\r\n]*+")
_COMMA = re.compile(r"[ \t\r\n]*+,?[ \t\r\n]*+")
_STRING = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
_FLAT = rf'[\[{{](?>(?:[^"\[\]{{}}]++|{_STRING})*)[\]}}]'
_KEY = re.compile(rf"({_STRING})[ \t\r\n]*+:[ \t\r\n]*+")
_SCALAR_OR_FLAT = re.compile(rf'{_STRING}|[^"\[\]{{}},\s]++|{_FLAT}')
_UP_TO_BRACKET = re.compile(rf'(?>(?:[^"\[\]{{}}]++|{_STRING}|{_FLAT})*)')
_STRING_OR_BRACKET = re.compile(rf"{_STRING}|[\[{{\]}}]")
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)

_PROBLEMS = {
    "Expecting ',' delimiter": "expecting ',' after a value",
    "Expecting ':' delimiter": "expecting ':' after a key",
    "Expecting property name enclosed in double quotes": "expecting a key in double quotes",
    "Extra data": "something follows the end of the value",
    "Unterminated string starting at": "a string is not closed",
    "Invalid control character at": "a line break or control character inside a string",
}
_BEGINNINGS = {
    "//": "a comment, which JSON does not know",
    "/*": "a comment, which JSON does not know",
    "#": "a comment, which JSON does not know",
    "'": "single quotes where JSON wants double quotes",
    "None": "None where JSON writes null",
    "True": "True where JSON writes true",
    "False": "False where JSON writes false",
}


class Member(NamedTuple):
    """A member of an object or an item of a list, as indices into the text.

    `start` is the start of its key (of the item itself, if it has no key), `value` the start of
    its value, `end` the index after the value.
    """

    key: str | None
    start: int
    value: int
    end: int


def locate(text: str, route: Sequence[str]) -> Member:
    """The part of a valid text at a route, or the last part of the route that exists.

    Of equal keys the last counts.
    """
    start = _skip(_BLANK, text, 0)
    part = Member(None, start, start, value_end(text, start))
    for key in route:
        inner = child(text, part, key)
        if inner is None:
            break
        part = inner
    return part


def child(text: str, parent: Member, key: str) -> Member | None:
    """The member or item of `parent` that a pointer's key names."""
    if text[parent.value] == "{":
        matches = [member for member in members(text, parent.value) if member.key == key]
        return matches[-1] if matches else None
    index = list_index(key)
    if text[parent.value] != "[" or index is None:
        return None
    return next(islice(members(text, parent.value), index, None), None)


def members(text: str, opening: int) -> Iterator[Member]:
    """The members or items of the object or list that opens at an index of a valid text."""
    keyed = text[opening] == "{"
    index = _skip(_BLANK, text, opening + 1)
    while text[index] not in "]}":
        key, start = None, index
        if keyed and (match := _KEY.match(text, index)):
            key, index = match.group(1), match.end()
            key = json.loads(key) if "\\" in key else key[1:-1]
        end = value_end(text, index)
        yield Member(key, start, index, end)
        index = _skip(_COMMA, text, end)


def value_end(text: str, start: int) -> int:
    """The index just behind the value that starts at an index of a valid text."""
    if match := _SCALAR_OR_FLAT.match(text, start):
        return match.end()
    index, depth = start, 0
    while True:
        index = _skip(_UP_TO_BRACKET, text, index) + 1
        depth += 1 if text[index - 1] in "[{" else -1
        if depth <= 0:
            return index


def key_end(text: str, member: Member) -> int:
    """The index just behind a member's key."""
    return value_end(text, member.start)


def explained(text: str, error: json.JSONDecodeError) -> Invalid:
    """What json refuses in a text, as a person would say it, at its place."""
    if not text.strip():
        return Invalid("is empty", flaw="empty")
    index, problem = error.pos, _PROBLEMS.get(error.msg, error.msg[:1].lower() + error.msg[1:])
    conflict = _CONFLICT.search(text)
    if conflict and conflict.start() <= _skip(_BLANK, text, index):
        index, problem = conflict.start(), "a merge conflict was left in it"
    elif error.msg.startswith(("Expecting", "Illegal trailing comma", "Extra data")):
        index = _skip(_BLANK, text, index)
        closing = _skip(_COMMA, text, index)
        if index >= len(text):
            problem = "it ends too early"
        elif text[closing : closing + 1] in ("]", "}") and text[:closing].rstrip().endswith(","):
            index, problem = text.rindex(",", 0, closing), "a comma before a closing bracket"
        else:
            begins = (say for word, say in _BEGINNINGS.items() if text.startswith(word, index))
            problem = next(begins, problem)
    return Invalid(f"is not valid JSON: {problem}", position(text, index))


def depth_place(text: str) -> Position | None:
    """Where a text nests too deep."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > DEPTH_LIMIT:
            return position(text, match.start())
    return None


def _skip(pattern: re.Pattern[str], text: str, index: int) -> int:
    match = pattern.match(text, index)
    return match.end() if match else index
