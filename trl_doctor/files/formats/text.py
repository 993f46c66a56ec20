"""Places in a text as people count them, what is wrong at one, and how much a text may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from trl_doctor.core.finding import Json

DEPTH_LIMIT = 100
"""Lists and objects nested deeper than this are refused; the outermost is at depth 1."""

BYTE_ORDER_MARK = "\N{BYTE ORDER MARK}"

Flaw: TypeAlias = Literal["invalid", "too-deep", "too-large", "not-text", "empty"]


@dataclass(frozen=True)
class Position:
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
    """Where the character at `index` stands; only a line feed ends a line, as in Git."""
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
    """The index of a list that a pointer's key names; None where it names none (RFC 6901)."""
    plain = key.isascii() and key.isdigit() and len(key) < 10
    return int(key) if plain and (key == "0" or key[0] != "0") else None


def measure(value: Json) -> tuple[int, int]:
    """How many values it holds, itself counted, and how deep lists and objects nest in it."""
    count, height = 1, 0
    holders = [one for one in (value,) if isinstance(one, (list, dict))]
    while holders:
        count += sum(map(len, holders))
        height += 1
        holders = [
            one
            for holder in holders
            for one in (holder if isinstance(holder, list) else holder.values())
            if isinstance(one, (list, dict))
        ]
    return count, height
