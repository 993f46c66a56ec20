"""YAML text: its value, as PyYAML's safe_load reads it, and the place of each part."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.text import (
    BYTE_ORDER_MARK,
    DEPTH_LIMIT,
    Invalid,
    Position,
    decoded,
    measure,
    position,
    too_deep,
)
from trl_doctor.files.formats.yaml_events import TAB, events, is_merge
from trl_doctor.files.formats.yaml_part import Form, Part
from trl_doctor.files.formats.yaml_scalar import Type, plain_type
from trl_doctor.files.formats.yaml_scalar import value as scalar_value

SIZE_LIMIT = 256 * 1024
"""Bytes; a larger text is refused: reading takes up to ten microseconds a byte."""

VALUE_LIMIT = 1_000_000
"""A text that holds more values, those behind aliases counted each time, is refused."""

_TYPES: dict[str, Type] = {
    f"tag:yaml.org,2002:{name}": name
    for name in ("null", "bool", "int", "float", "str", "timestamp")
}
_COLON = re.compile(r"\s*:")
_ANCHOR = re.compile(r"[0-9A-Za-z_-]+")
_TAB_BEFORE_COMMENT = re.compile(r"(?>(?:[^#\t]|#.*+)*)\t")
"""Possessive: what a comment has taken is never tried again, or many `#` take for ever."""


@lru_cache(maxsize=4)
def parse(data: bytes) -> Part:
    """The one document of a YAML text; an empty text holds null.

    The last four are kept: a file is looked at, opened, and searched for places. Who may change
    the content copies it.

    Keys that are no text become text as they are written; `<<` members are merged in. Raises
    `Invalid` for what safe_load refuses, for what is no JSON (binary, sets, a list as key, a
    value that holds itself), and for what passes the limits.
    """
    if len(data) > SIZE_LIMIT:
        raise Invalid(f"is larger than {SIZE_LIMIT // 1024} KiB of YAML", flaw="too-large")
    text = decoded(data).removeprefix(BYTE_ORDER_MARK)
    return _Reader(text).document()


def parsed(text: str) -> Part:
    """Like `parse`, of text."""
    return parse(text.encode())


class _Reader:
    """One pass over the events of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._events = events(text)
        self._anchors: dict[str, Part | None] = {}
        self._count = 0

    def document(self) -> Part:
        next(self._events)
        if isinstance(next(self._events), StreamEndEvent):
            return Part(None, 0, 0, 0, None, "plain")
        root = self._part(next(self._events), 0)
        next(self._events)
        after = next(self._events)
        if not isinstance(after, StreamEndEvent):
            raise self._invalid("a second document starts here, TRL reads one", after)
        return root

    def _part(self, event: Any, depth: int, key: Part | None = None) -> Part:
        if isinstance(event, AliasEvent):
            return self._alias(event, depth, key)
        name = event.anchor
        if name is not None:
            if not _ANCHOR.fullmatch(name):
                raise self._invalid(f"an anchor may not be called {name!r}", event)
            if name in self._anchors:
                raise self._invalid(f"the anchor &{name} occurs twice", event)
            self._anchors[name] = None
        self._charge(1)
        if isinstance(event, ScalarEvent):
            part = self._scalar(event, key)
        elif depth >= DEPTH_LIMIT:
            raise too_deep(self._place(event))
        elif isinstance(event, SequenceStartEvent):
            part = self._list(event, depth + 1, key)
        else:
            part = self._mapping(event, depth + 1, key)
        if name is not None:
            self._anchors[name] = part
        return part

    def _scalar(self, event: ScalarEvent, key: Part | None) -> Part:
        start, end = event.start_mark.index, event.end_mark.index
        if start == end and key is not None:
            colon = _COLON.match(self._text, key.end)
            start = end = colon.end() if colon else key.end
        source = self._text[start:end]
        if event.style in ("|", ">"):
            keeps = "+" in source.partition("\n")[0]
            stripped = source.removesuffix("\n").removesuffix("\r") if keeps else source.rstrip()
            end = start + len(stripped)
        try:
            value = scalar_value(event.value, self._type(event))
        except ValueError:
            raise self._invalid("a value that does not fit its type", event) from None
        return Part(
            *_lead(key, start), start, end, value, event.style or "plain",
            shared=event.anchor is not None, raw=event.value,
        )  # fmt: skip

    def _type(self, event: ScalarEvent) -> Type:
        if event.tag in (None, "!"):
            return plain_type(event.value) if event.implicit[0] else "str"
        if event.tag not in _TYPES:
            raise self._unknown_tag(event)
        return _TYPES[event.tag]

    def _alias(self, event: AliasEvent, depth: int, key: Part | None) -> Part:
        target = self._anchors.get(event.anchor)
        if target is None:
            inside = event.anchor in self._anchors
            problem = "is inside its own anchor" if inside else "has no anchor before it"
            raise self._invalid(f"the alias *{event.anchor} {problem}", event)
        count, height = measure(target.content)
        self._charge(count)
        if depth + height > DEPTH_LIMIT:
            raise too_deep(self._place(event))
        start, end = event.start_mark.index, event.end_mark.index
        return Part(
            *_lead(key, start), start, end, target.content, "alias",
            target.parts, target.merged, shared=True, raw=target.raw,
        )  # fmt: skip

    def _list(self, event: SequenceStartEvent, depth: int, key: Part | None) -> Part:
        self._check_tag(event, "tag:yaml.org,2002:seq")
        items = []
        while not isinstance(inner := next(self._events), SequenceEndEvent):
            items.append(self._part(inner, depth))
        return self._collection(event, inner, key, [item.content for item in items], items, [])

    def _mapping(self, event: MappingStartEvent, depth: int, key: Part | None) -> Part:
        self._check_tag(event, "tag:yaml.org,2002:map")
        members: list[Part] = []
        merged: list[Part] = []
        while not isinstance(inner := next(self._events), MappingEndEvent):
            if is_merge(inner):
                value = self._part(next(self._events), depth)
                merged += self._merged(value)
                self._charge(len(merged))
                members.append(replace(value, start=inner.start_mark.index))
            else:
                members.append(self._part(next(self._events), depth, self._key(inner)))
        content = {
            member.key: member.content for member in (*merged, *members) if member.key is not None
        }
        return self._collection(event, inner, key, content, members, merged)

    def _key(self, event: Any) -> Part:
        if isinstance(event, ScalarEvent) and event.value == "=" and event.implicit[0]:
            event.implicit = (False, True)
        if isinstance(event, (ScalarEvent, AliasEvent)):
            key = self._part(event, 0)
            if not isinstance(key.content, (list, dict)):
                return key
        raise self._invalid("a list or mapping is used as a key", event)

    def _merged(self, value: Part) -> list[Part]:
        sources = reversed(value.parts) if isinstance(value.content, list) else [value]
        members: list[Part] = []
        for source in sources:
            if not isinstance(source.content, dict):
                at = position(self._text, value.value)
                raise Invalid("is not valid YAML: << merges what is no mapping", at)
            members += source.merged
            members += [part for part in source.parts if part.key is not None]
        return members

    def _collection(
        self, event: Any, last: Any, key: Part | None, content: Json, children: list[Part],
        merged: list[Part],
    ) -> Part:  # fmt: skip
        start, end = event.start_mark.index, last.end_mark.index
        form: Form = "flow"
        if not event.flow_style:
            form, end = "block", children[-1].end if children else start
        elif end <= start or self._text[end - 1] not in "]}":
            form, end = "pair", children[-1].end if children else start
        else:
            self._check_tabs(start, end, children)
        shared = event.anchor is not None or any(child.shared for child in children)
        return Part(
            *_lead(key, start), start, end, content, form, tuple(children), tuple(merged), shared
        )

    def _check_tabs(self, start: int, end: int, children: list[Part]) -> None:
        ends = [start, *(child.end for child in children)]
        for gap, upto in zip(ends, [*(child.start for child in children), end], strict=True):
            tab = _TAB_BEFORE_COMMENT.match(self._text, gap, upto)
            if tab:
                raise Invalid(f"is not valid YAML: {TAB}", position(self._text, tab.end() - 1))

    def _check_tag(self, event: Any, expected: str) -> None:
        if event.tag not in (None, "!", expected):
            raise self._unknown_tag(event)

    def _charge(self, count: int) -> None:
        self._count += count
        if self._count > VALUE_LIMIT:
            raise Invalid(f"holds more than {VALUE_LIMIT:,} values", flaw="too-large")

    def _unknown_tag(self, event: Any) -> Invalid:
        tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
        return self._invalid(f"the tag {tag} is not read here", event)

    def _invalid(self, problem: str, event: Any) -> Invalid:
        return Invalid(f"is not valid YAML: {problem}", self._place(event))

    def _place(self, event: Any) -> Position:
        return position(self._text, event.start_mark.index)


def _lead(key: Part | None, start: int) -> tuple[str | None, int]:
    return (None, start) if key is None else (key.raw, key.start)
