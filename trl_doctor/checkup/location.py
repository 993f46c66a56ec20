"""Where a place is in its file: the line, the column and the text to show."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.core.finding import Place, Spot
from trl_doctor.files.document import Document, Unreadable, read, read_bytes

LONGEST = 10_000
"""Characters; a longer line (rows or a tokenizer without line ends) is not carried in reports."""


def locate(place: Place) -> Spot | None:
    """The line and the column of a place, or None if only the file can be named."""
    if place.spot is not None:
        spot = place.spot
        text = spot.text or ("" if spot.cell else _line(place.file, spot.line))
        return replace(spot, text=_shown(text))
    if place.file.suffix not in (".json", ".yaml", ".yml"):
        return None
    try:
        document = _read(place.file, _state(place.file))
    except (OSError, ValueError):
        return None
    if isinstance(document, Unreadable):
        if not document.line:
            return None
        text = _shown(_line(place.file, document.line))
        return Spot(document.line, document.column or 1, text)
    position = document.position(place.pointer)
    return Spot(position.line, position.column, _shown(document.line_text(position.line)))


def _line(file: Path, number: int) -> str:
    """A line of a file that gives no value, counted from 1; empty where it is not to be had."""
    try:
        lines = _lines(file, _state(file))
    except (OSError, ValueError):
        return ""
    return lines[number - 1] if number <= len(lines) else ""


def _state(file: Path) -> tuple[int, int, int]:
    """Differs after each change of a file: findings come in numbers, and it is read once."""
    status = file.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _read(file: Path, state: tuple[int, int, int]) -> Document | Unreadable:
    try:
        return read(file)
    except Unreadable as problem:
        return problem


@lru_cache(maxsize=8)
def _lines(file: Path, state: tuple[int, int, int]) -> list[str]:
    try:
        return read_bytes(file).decode("utf-8", "replace").splitlines()
    except Unreadable:
        return []


def _shown(line: str) -> str:
    return line if len(line) <= LONGEST else ""
