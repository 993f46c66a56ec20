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
    """All comments of a valid text: the index and the text of each."""
    if "#" not in text:
        return []
    in_text: list[tuple[int, str]] = []
    index = 0
    for event in events(text):
        if isinstance(event, ScalarEvent):
            start, end = event.start_mark.index, event.end_mark.index
            if event.style in ("|", ">"):  # a comment can follow the mark
                start = _line_end(text, start)
            in_text += _between(text, index, start)
            index = max(index, end)
    return [*in_text, *_between(text, index, len(text))]


def refuse_to_lose(before: str, after: str, spared: Iterable[str] = ()) -> None:
    """Raises `CannotEdit` if a comment of `before`, except spared ones, is not in `after`."""
    old_comments = Counter(comment for _, comment in comments(before))
    new_comments = Counter(comment for _, comment in comments(after))
    lost_comments = old_comments - new_comments - Counter(spared)
    if lost_comments:
        raise CannotEdit(f"the comment {min(lost_comments)!r:.60} would be lost")


def on_line(text: str, index: int) -> list[str]:
    """The comment at the end of the line with `index`, as a list of none or one."""
    end = _line_end(text, index)
    return [comment for start, comment in comments(text) if index <= start < end]


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _between(text: str, start: int, end: int) -> list[tuple[int, str]]:
    return [(match.start(), match.group()) for match in _COMMENT.finditer(text, start, end)]
