"""Whether the rows of a data file can be read, and where the first unreadable one is."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from msgspec import Struct

from trl_doctor.files.formats.text import DEPTH_LIMIT, Invalid, Position, decoded, measure, position
from trl_doctor.files.regular import bytes_of

MOST = 16 * 2**20
"""The number of bytes of a data file that are read."""


class BadRow(Struct, frozen=True):
    """An unreadable row. `problem` is a clause without a subject: "is not UTF-8 text: …"."""

    file: Path
    problem: str
    at: Position

    @property
    def place(self) -> str:
        """The file's name, the line and the column."""
        return f"{self.file.name}:{self.at.line}:{self.at.column}"


def bad_row(file: Path) -> BadRow | None:
    """The first row that `load_dataset` cannot read; None if all rows that were read are valid.

    Rows are JSON objects: one per line, one after the other, or in a list. Raises `OSError`.
    """
    data = bytes_of(file, MOST)
    if len(data) == MOST:
        data = data[: data.rfind(b"\n") + 1]
    try:
        if not _quickly_fine(data):
            _read_all(decoded(data).removeprefix("\ufeff"))
    except Invalid as flaw:
        return BadRow(file, flaw.problem, flaw.at or Position(1, 1))
    return None


def _quickly_fine(data: bytes) -> bool:
    """Whether each line is one valid object. False does not mean that the file is invalid."""
    try:
        data.decode()
        for line in data.splitlines():
            if line and not line.isspace():
                msgspec.json.decode(line, type=dict[str, msgspec.Raw])
                if line.count(b"[") + line.count(b"{") > DEPTH_LIMIT:
                    return False
    except (ValueError, RecursionError):
        return False
    return True


def _read_all(text: str) -> None:
    """Read one value after the other; raises `Invalid` at the first unreadable one."""
    decoder = json.JSONDecoder()
    index = _after_blanks(text, 0)
    while index < len(text):
        try:
            value, end = decoder.raw_decode(text, index)
        except json.JSONDecodeError as error:
            raise Invalid(f"is not valid JSON: {error.msg}", position(text, error.pos)) from None
        except (RecursionError, ValueError):
            value, end = None, -1
        if end < 0 or measure(value)[1] > DEPTH_LIMIT:
            problem = f"nests lists and objects deeper than {DEPTH_LIMIT}"
            raise Invalid(problem, position(text, index))
        rows = value if isinstance(value, list) and index == _after_blanks(text, 0) else [value]
        for row in rows:
            _check(row, position(text, index))
        index = _after_blanks(text, end)


def _check(row: object, at: Position) -> None:
    if not isinstance(row, dict):
        raise Invalid("holds a row that is not a JSON object", at)
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Invalid("holds half of a surrogate pair, which is no character", at) from None


def _after_blanks(text: str, index: int) -> int:
    while index < len(text) and text[index] in " \t\r\n":
        index += 1
    return index
