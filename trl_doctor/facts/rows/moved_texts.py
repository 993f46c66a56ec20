"""Messages of the run's own conversations that the chat template puts in another order."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.asking.rendering import TemplateFailed
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.lost_texts import LINES, LONGEST, shown_lines
from trl_doctor.facts.rows.rendered import RenderedRow, rendered_rows

SHORTEST = 8
"""Characters of a line that is looked for: a shorter one may be a part of something else."""

COMPARED = ("user", "assistant")
"""Many templates put a system text into a question, Gemma 4's a text after a tool's answer."""


class Moved(Struct, frozen=True):
    """Two texts of a row, counted from 1: the `later` message is rendered before the `earlier`."""

    row: int
    earlier: str
    later: str
    roles: tuple[str, str]
    rows: int


def moved_texts(facts: Facts) -> Moved | None:
    """The first such pair, and in how many rows there is one. Raises as `rendered_rows` does."""
    pairs = [pair for row in facts[rendered_rows] if (pair := _moved(row)) is not None]
    if not pairs:
        return None
    row, earlier, later = pairs[0]
    rows = len({number for number, _, _ in pairs})
    return Moved(row, earlier[1], later[1], (earlier[0], later[0]), rows)


Line = tuple[str, str]
"""A role, and a line of its message."""


def _moved(row: RenderedRow) -> tuple[int, Line, Line] | None:
    if isinstance(row.answer, TemplateFailed) or len(row.answer.text) >= LONGEST:
        return None
    text, last = row.answer.text, None
    for line in _found_once(row, text):
        if last is not None and text.index(line[1]) < text.index(last[1]):
            return row.row, last, line
        last = line
    return None


def _found_once(row: RenderedRow, text: str) -> Iterator[Line]:
    """The first line of each message that the text has once, and no other message has."""
    messages = [
        (str(message.get("role", "")), shown_lines(message)) for message in row.messages[:LINES]
    ]
    for at, (role, lines) in enumerate(messages):
        others = [line for to, (_, these) in enumerate(messages) if to != at for line in these]
        usable = (
            line
            for line in lines
            if len(line) >= SHORTEST
            and text.count(line) == 1
            and not any(line in other for other in others)
        )
        line = next(usable, None)
        if line is not None and role in COMPARED:
            yield role, line
