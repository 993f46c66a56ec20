"""The comments of a YAML text, and the refusal of an edit that would lose one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ruamel.yaml.events import ScalarEvent

from trl_doctor.files.formats.text import CannotEdit
from trl_doctor.files.formats.yaml_events import events

_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*")


def comments(text: str) -> list[tuple[int, str]]:
    """All comments of a text that can be parsed: where each starts, and what it says."""
    if "#" not in text:
        return []
    found: list[tuple[int, str]] = []
    index = 0
    for event in events(text):
        if isinstance(event, ScalarEvent):
            start, end = event.start_mark.index, event.end_mark.index
            if event.style in ("|", ">"):  # a comment may stand behind the mark
                start = _line_end(text, start)
            found += _between(text, index, start)
            index = max(index, end)
    return [*found, *_between(text, index, len(text))]


def refuse_to_lose(before: str, after: str, spared: Iterable[str] = ()) -> None:
    """Raises `CannotEdit` where a comment of `before`, no spared one, is not in `after`."""
    here = Counter(said for _, said in comments(before))
    there = Counter(said for _, said in comments(after))
    lost = here - there - Counter(spared)
    if lost:
        raise CannotEdit(f"the comment {min(lost)!r:.60} would be lost")


def on_line(text: str, index: int) -> list[str]:
    """The comment at the end of the line on which `index` stands, as a list of none or one."""
    end = _line_end(text, index)
    return [said for start, said in comments(text) if index <= start < end]


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _between(text: str, start: int, end: int) -> list[tuple[int, str]]:
    return [(one.start(), one.group()) for one in _COMMENT.finditer(text, start, end)]
