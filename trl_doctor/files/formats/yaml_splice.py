"""Changes of one value in a YAML text that leave comments and all else as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files.formats.text import CannotEdit
from trl_doctor.files.formats.yaml_comments import on_line, refuse_to_lose
from trl_doctor.files.formats.yaml_part import Part
from trl_doctor.files.formats.yaml_scalar import Quote, scalar_text
from trl_doctor.files.formats.yaml_text import parsed

_COLON = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\"'\n][^\n]*?)[ ]*:(?=\s|\Z)")
_COMMENT = re.compile(r"(?:^|\s)#")
_DASH = re.compile(r" *-[ ]*")
_LINE_END = re.compile(r"\r?\n|\Z")
_INDENT = re.compile(r"^( +)[^\s#-]", re.MULTILINE)
_LIST_UNDER_KEY = re.compile(r"^( *)[^\s#-][^\n]*:[ ]*(?:#[^\n]*)?\r?\n\1( *)- ", re.MULTILINE)


_MOST_EQUAL = 5
"""Of a key that occurs more often, none is removed: each removal reads the text again."""


def replaced(text: str, route: Sequence[str], value: Json) -> str:
    """The text with another value where the route leads to, which must be there.

    Raises `CannotEdit` if anchors, aliases or comments inside the old value forbid it.
    """
    if route and _is_merged(text, route):
        return added(text, route[:-1], route[-1], value)
    new = _with_value(text, _unaliased_part(text, route), value)
    refuse_to_lose(text, new)
    return new


def added(text: str, route: Sequence[str], key: str | None, value: Json) -> str:
    """The text with a member or item behind the last one of what the route leads to."""
    new = _added(text, route, key, value)
    refuse_to_lose(text, new)
    return new


def removed(text: str, route: Sequence[str]) -> str:
    """The text without the member or item at the route, including all equal keys.

    A comment on the line of its start is removed with it; for any other comment it raises
    `CannotEdit`.
    """
    for _ in range(_MOST_EQUAL):
        holder = _unaliased_part(text, route[:-1], unshared=False)
        part = holder.child(route[-1])
        if part is None:
            return text
        if part not in holder.parts:
            raise CannotEdit(f"{pointer(*route)} comes in through a merge")
        _unaliased_part(text, route)
        new = _cut(text, holder, part)
        refuse_to_lose(text, new, on_line(text, part.start))
        text = new
        if part.key is None:
            return text
    raise CannotEdit(f"{pointer(*route)} is there more than {_MOST_EQUAL - 1} times")


def _added(text: str, route: Sequence[str], key: str | None, value: Json) -> str:
    holder = _unaliased_part(text, route, unshared=False)
    if not holder.parts:
        new: Json = [value] if key is None else {key: value}
        if not route and text[holder.value : holder.end] == "{}":
            lines = _newline(text).join(_block(text, new, ""))
            return text[: holder.value] + lines + text[holder.end :]
        return _with_value(text, holder, new)
    if holder.form == "flow":
        return _added_in_flow(text, holder, key, value)
    if holder.form != "block":
        raise CannotEdit(f"{pointer(*route)} has no brackets of its own")
    return _added_in_block(text, holder, key, value)


def _cut(text: str, holder: Part, part: Part) -> str:
    if len(holder.parts) == 1:
        return _with_value(text, holder, [] if part.key is None else {})
    if holder.form == "block":
        return _cut_lines(text, holder, part)
    return _cut_in_flow(text, holder, part)


def _unaliased_part(text: str, route: Sequence[str], unshared: bool = True) -> Part:
    """The part at a route without aliases; with `unshared`, one without anchors and aliases."""
    part = parsed(text)
    for index, key in enumerate(route):
        inner = part.child(key)
        if inner is None or part.form == "alias" or inner not in part.parts:
            raise CannotEdit(f"{pointer(*route[: index + 1])} is written elsewhere and merged in")
        part = inner
    if part.form == "alias" or (unshared and part.shared):
        raise CannotEdit(f"{pointer(*route) or 'the file'} has or holds an anchor or an alias")
    return part


def _is_merged(text: str, route: Sequence[str]) -> bool:
    holder = parsed(text).locate(route[:-1])
    return holder.form != "alias" and holder.child(route[-1]) not in holder.parts


def _with_value(text: str, part: Part, value: Json) -> str:
    """The text with another value in the place of a part."""
    if part.shared:
        raise CannotEdit("the value has or holds an anchor or an alias")
    new, start = _flow(value, _quote(part)), part.value
    if part.form == "block":
        if isinstance(value, (list, dict)) and value:
            margin = " " * _column(text, start)
            deeper = "  " if start - part.start and _column(text, part.start) == len(margin) else ""
            new = _newline(text).join(_block(text, value, margin + deeper)).removeprefix(margin)
        elif part.key is not None:
            colon = _COLON.match(text, part.start, start)
            if not colon:
                raise CannotEdit(f"the key {part.key!r} is written in an unusual way")
            start, anchor = colon.end(), text[colon.end() : start].rstrip()
            new = f" {new}{anchor}"
    elif start == part.end and text[start - 1 : start] in (":", "-", ","):
        new = f" {new}"
    return text[:start] + new + text[part.end :]


def _added_in_flow(text: str, holder: Part, key: str | None, value: Json) -> str:
    inner = holder.parts
    if len(inner) > 1:
        gap = text[inner[-2].end : inner[-1].start]
    else:
        gap = "," + text[holder.value + 1 : inner[0].start]
    if "#" in gap or not gap.strip().startswith(",") or (gap == "," and len(inner) == 1):
        gap = ", "
    quote: Quote = '"' if text[inner[-1].start] == '"' else ""
    name = "" if key is None else scalar_text(key, quote) + ": "
    end = inner[-1].end
    return text[:end] + gap + name + _flow(value, _quote(inner[-1])) + text[end:]


def _added_in_block(text: str, holder: Part, key: str | None, value: Json) -> str:
    first = holder.value if key is None else holder.parts[0].start
    line = text[first - _column(text, first) : first]
    if (key is None and text[first] != "-") or line.strip(" -"):
        raise CannotEdit("the last member is written in an unusual way")
    new: Json = [value] if key is None else {key: value}
    lines = _block(text, new, " " * _column(text, first))
    end = _line_end(text, holder.end)
    newline = end.group() or _newline(text)
    return text[: end.start()] + newline + newline.join(lines) + text[end.start() :]


def _cut_lines(text: str, holder: Part, part: Part) -> str:
    column = _column(text, part.start)
    start = part.start - column
    before = text[start : part.start]
    end = _line_end(text, part.end)
    fills_lines = _DASH.fullmatch(before) if part.key is None else not before.strip(" ")
    if fills_lines and end.group():
        return text[:start] + text[end.end() :]
    if fills_lines:
        return text[:start].removesuffix("\n").removesuffix("\r")
    following = holder.parts[holder.parts.index(part) + 1 :][:1]
    if not following or _COMMENT.search(text[end.end() : following[0].start]):
        raise CannotEdit("what is to be removed shares its line")
    return text[: part.start] + text[following[0].start :]


def _cut_in_flow(text: str, holder: Part, part: Part) -> str:
    index = holder.parts.index(part)
    if index == len(holder.parts) - 1:
        start, end = holder.parts[index - 1].end, part.end
        blank = text[start : part.start]
    else:
        start, end = part.start, holder.parts[index + 1].start
        blank = text[part.end : end]
    if "#" in blank:
        raise CannotEdit("a comment is next to what would be removed")
    return text[:start] + text[end:]


def _flow(value: Json, quote: Quote = "") -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item, quote) for item in value) + "]"
    return scalar_text(value, quote)


def _block(text: str, value: Json, margin: str) -> list[str]:
    """The lines of a list or mapping that is not empty."""
    if isinstance(value, list):
        return [f"{margin}- {_flow(item)}" for item in value]
    lines = []
    for key, item in value.items() if isinstance(value, dict) else ():
        if not item or not isinstance(item, (list, dict)):
            lines.append(f"{margin}{scalar_text(key)}: {_flow(item)}")
            continue
        indent, under_key = _INDENT.search(text), _LIST_UNDER_KEY.search(text)
        deeper = indent.group(1)[:8] if indent else "  "
        if isinstance(item, list) and under_key:
            deeper = under_key.group(2)
        lines += [f"{margin}{scalar_text(key)}:", *_block(text, item, margin + deeper)]
    return lines


def _quote(part: Part) -> Quote:
    return part.form if part.form == "'" or part.form == '"' else ""


def _column(text: str, index: int) -> int:
    return index - (text.rfind("\n", 0, index) + 1)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_end(text: str, index: int) -> re.Match[str]:
    end = _LINE_END.search(text, index)
    assert end
    return end
