"""Where a place is in its file: the line, the column and the text to show."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Cell, Place
from trl_doctor.files.document import Document, Unreadable, read, read_bytes

LONGEST = 10_000
"""Characters; a longer line (rows or a tokenizer without line ends) is not carried in reports."""


class Location(Struct, frozen=True):
    """`line` and `column` count from 1; `text` is the line, empty if it cannot be shown.

    In a notebook `text` is the line of the `cell`.
    """

    line: int
    column: int
    text: str = ""
    cell: Cell | None = None


@lru_cache(maxsize=8)
def _read(file: Path, state: object) -> Document | Unreadable:
    """The document, read once while the file stays as it is: findings come in numbers."""
    try:
        return read(file)
    except Unreadable as problem:
        return problem


def locate(place: Place) -> Location | None:
    """The location of a place, or None if only the file can be named."""
    if place.spot is not None:
        spot = place.spot
        text = spot.text or ("" if spot.cell else _line(place.file, spot.line))
        return Location(spot.line, spot.column, _shown(text), spot.cell)
    if place.file.suffix not in (".json", ".yaml", ".yml"):
        return None
    try:
        status = place.file.stat()
        document = _read(place.file, (status.st_ino, status.st_mtime_ns, status.st_size))
    except (OSError, ValueError):
        return None
    if isinstance(document, Unreadable):
        if not document.line:
            return None
        text = _shown(_line(place.file, document.line))
        return Location(document.line, document.column or 1, text)
    position = document.position(place.pointer)
    return Location(position.line, position.column, _shown(document.line_text(position.line)))


def _line(file: Path, number: int) -> str:
    """A line of a file that gives no value, counted from 1; empty where it is not to be had."""
    try:
        lines = read_bytes(file).decode("utf-8", "replace").splitlines()
    except Unreadable:
        return ""
    return lines[number - 1] if number <= len(lines) else ""


def _shown(line: str) -> str:
    return line if len(line) <= LONGEST else ""
