"""Where a place is in its file: the line, the column and the text to show."""

from __future__ import annotations

from dataclasses import dataclass

from trl_doctor.document import Unreadable, read
from trl_doctor.finding import Place


@dataclass(frozen=True)
class Location:
    """`line` and `column` count from 1; `text` is the line, empty where it cannot be shown."""

    line: int
    column: int
    text: str = ""


def locate(place: Place) -> Location | None:
    """The location of a place, or None where only the file can be named."""
    if place.file.suffix not in (".json", ".yaml", ".yml"):
        return None
    try:
        document = read(place.file)
    except Unreadable as problem:
        return Location(problem.line, problem.column or 1) if problem.line else None
    position = document.position(place.pointer)
    return Location(position.line, position.column, document.line_text(position.line))
