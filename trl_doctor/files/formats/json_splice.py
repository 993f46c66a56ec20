"""Changes of one value in a JSON text that leave every other character as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.json_places import Member, child, key_end, locate, members

_OPENED_LINE = re.compile(r"[\[{][ \t]*\r?\n([ \t]*)(?=[^\s\]}])")
_LAST_LINE = re.compile(r"\r?\n[ \t]*\Z")
_INDENT = re.compile(r"[ \t]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Style(Struct, frozen=True):
    """How a text writes things: one level's indentation, line end, separators, escapes."""

    indent: str
    newline: str
    comma: str
    colon: str
    escapes: bool


def replaced(text: str, route: Sequence[str], value: Json) -> str:
    """The text with another value at the route, which must exist."""
    member = locate(text, route)
    old = text[member.value : member.end]
    if old[:1] in ("[", "{") and not _is_empty(text, member):
        on_lines = "\n" in old
    else:
        on_lines = not route or "\n" in _lead(text, route, member)
    return text[: member.value] + _value_text(text, value, member, on_lines) + text[member.end :]


def added(text: str, route: Sequence[str], key: str | None, value: Json) -> str:
    """The text with a new member or item after the last one at the route."""
    member = locate(text, route)
    inner = list(members(text, member.value))
    if not inner:
        return replaced(text, route, [value] if key is None else {key: value})
    last = inner[-1]
    before, gap = _separator(text, member, inner)
    name = "" if key is None else _dumped(key, _style(text)) + _colon(text, last)
    value_text = _value_text(text, value, last, "\n" in gap)
    return f"{text[: last.end]}{before},{gap}{name}{value_text}{text[last.end :]}"


def removed(text: str, route: Sequence[str]) -> str:
    """The text without the member or item at the route, including all equal keys."""
    holder = locate(text, route[:-1])
    while match := child(text, holder, route[-1]):
        inner = list(members(text, holder.value))
        index = inner.index(match)
        if len(inner) == 1:
            cut = holder.value + 1, holder.end - 1
        elif index == len(inner) - 1:
            cut = inner[index - 1].end, match.end
        else:
            cut = match.start, inner[index + 1].start
        text = text[: cut[0]] + text[cut[1] :]
        holder = locate(text, route[:-1])
        if match.key is None:
            break
    return text


def _separator(text: str, holder: Member, inner: Sequence[Member]) -> tuple[str, str]:
    """The text before and after the comma that precedes the next member."""
    if len(inner) > 1:
        before, gap = text[inner[-2].end : inner[-1].start].split(",")
    else:
        before, gap = "", text[holder.value + 1 : inner[0].start]
    if line := _LAST_LINE.search(gap):
        return before, line.group()
    return before, gap if len(inner) > 1 else gap or _style(text).comma[1:]


def _is_empty(text: str, holder: Member) -> bool:
    return next(members(text, holder.value), None) is None


def _lead(text: str, route: Sequence[str], member: Member) -> str:
    """The blanks in front of a member or item."""
    opening = locate(text, route[:-1]).value
    ends = [sibling.end for sibling in members(text, opening) if sibling.end <= member.start]
    return text[ends[-1] if ends else opening : member.start]


def _colon(text: str, member: Member) -> str:
    colon = text[key_end(text, member) : member.value]
    return ": " if "\n" in colon else colon


def _value_text(text: str, value: Json, member: Member, on_lines: bool) -> str:
    """The value in the text's style; on lines of its own if asked, from the member's margin."""
    style = _style(text)
    if not on_lines or not isinstance(value, (list, dict)):
        return _dumped(value, style)
    line = text.rfind("\n", 0, member.start) + 1
    margin = _INDENT.match(text, line)
    lines = _dumped(value, style, style.indent).split("\n")
    return (style.newline + (margin.group() if margin else "")).join(lines)


def _dumped(value: Json, style: _Style, indent: str | None = None) -> str:
    separators = (style.comma if indent is None else ",", style.colon)
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=style.escapes)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _style(text: str) -> _Style:
    opened = _OPENED_LINE.search(text)
    root = locate(text, ())
    inner = list(islice(members(text, root.value), 2)) if text[root.value] in "[{" else []
    keyed = inner and inner[0].key is not None
    colon = _colon(text, inner[0]) if keyed else ": "
    between = text[inner[0].end : inner[1].start] if len(inner) > 1 else "\n"
    if "\n" in between:
        between = "," if colon == ":" else ", "
    return _Style(
        indent=opened.group(1) if opened else "  ",
        newline="\r\n" if "\r\n" in text else "\n",
        comma="," + between.partition(",")[2],
        colon=colon,
        escapes=text.isascii(),
    )
