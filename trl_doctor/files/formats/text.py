"""Places in a text as people count them, what is wrong at one, and how much a text may hold."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Json

DEPTH_LIMIT = 100
"""Lists and objects nested deeper than this are refused; the outermost is at depth 1."""

BYTE_ORDER_MARK = "\N{BYTE ORDER MARK}"

Flaw: TypeAlias = Literal["invalid", "too-deep", "too-large", "not-text", "empty"]


class Position(Struct, frozen=True):
    """A line and a column, both counted from 1; a column is one character (code point)."""

    line: int
    column: int


class Invalid(Exception):
    """A text does not hold one value; `problem` is a verb phrase ("is not valid JSON: …")."""

    def __init__(self, problem: str, at: Position | None = None, flaw: Flaw = "invalid") -> None:
        super().__init__(problem)
        self.problem = problem
        self.at = at
        self.flaw: Flaw = flaw


class CannotEdit(Exception):
    """An edit would risk the rest of the text; the message is the reason, as a clause."""


def position(text: str, index: int) -> Position:
    """Line and column of the character at `index`; as in Git, only a line feed ends a line."""
    return Position(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


def decoded(data: bytes) -> str:
    """The bytes as UTF-8 text, as they are; raises `Invalid` ("not-text") where they are none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Invalid("is UTF-16 text where UTF-8 is expected", flaw="not-text")
    if (zero := data.find(0)) >= 0:
        raise Invalid(f"is not text: byte {zero} is zero", flaw="not-text")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise Invalid(
            f"is not UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}",
            position(before, len(before)),
            "not-text",
        ) from None


def too_deep(at: Position | None) -> Invalid:
    """The refusal of a text that nests deeper than `DEPTH_LIMIT`."""
    return Invalid(f"nests lists and objects deeper than {DEPTH_LIMIT}", at, "too-deep")


def list_index(key: str) -> int | None:
    """The index of a list that a pointer's key names; None if it names none (RFC 6901)."""
    plain = key.isascii() and key.isdigit() and len(key) < 10
    return int(key) if plain and (key == "0" or key[0] != "0") else None


def measure(value: Json) -> tuple[int, int]:
    """The number of values, including `value` itself, and the depth of lists and objects in it."""
    count, height = 1, 0
    holders = [holder for holder in (value,) if isinstance(holder, (list, dict))]
    while holders:
        count += sum(map(len, holders))
        height += 1
        holders = [
            item
            for holder in holders
            for item in (holder if isinstance(holder, list) else holder.values())
            if isinstance(item, (list, dict))
        ]
    return count, height
