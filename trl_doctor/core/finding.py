"""What a rule reports: a message about this run, a place, the evidence, perhaps a fix."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""Worst first."""


def pointer(*keys: str | int) -> str:
    """The JSON pointer (RFC 6901) of a route of keys: `pointer("a", 0)` is `/a/0`."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def route(of: str) -> tuple[str, ...]:
    """The keys of a JSON pointer; `route("/a/0")` is `("a", "0")`."""
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in of.split("/")[1:])


class Cell(Struct, frozen=True):
    """A place in a notebook as people see it: the number of a cell, line and column, all from 1."""

    number: int
    line: int
    column: int


class Spot(Struct, frozen=True):
    """A line and a column, both from 1, in the text of a file.

    `text` is the line. In a notebook, whose text is JSON, it is that of the `cell`.
    """

    line: int
    column: int
    text: str = ""
    cell: Cell | None = None


class Place(Struct, frozen=True, eq=False):
    """A file, and the JSON pointer of a value in it; the empty pointer is the whole file.

    `spot` is set for files whose pointers are not paths in JSON (a script);
    equal places may have different ones.
    """

    file: Path
    pointer: str = ""
    spot: Spot | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return (self.file, self.pointer) == (other.file, other.pointer)

    def __hash__(self) -> int:
        return hash((self.file, self.pointer))


class Put(Struct, frozen=True):
    """Set the value at a pointer; the last key is added if it is missing.

    A file that does not exist is created, with `{}` before the edit. The last key `-` appends to
    a list (RFC 6902).
    """

    file: Path
    pointer: str
    value: Json


class Remove(Struct, frozen=True):
    """Remove the key or item at a pointer, if it exists."""

    file: Path
    pointer: str


class Copy(Struct, frozen=True):
    """Replace a whole file by the bytes of another; it is created if it does not exist."""

    file: Path
    source: Path


Edit: TypeAlias = Put | Remove | Copy


class Fix(Struct, frozen=True):
    """How to repair the problem: a verb phrase ("set pad_token to …") and the edits.

    Safe means: the run does the same as before, or what its files already state elsewhere.
    `changes_tokens` says that ordinary text is meant to get other token ids; any other fix that
    edits a tokenizer.json and changes token ids is held back.
    """

    message: str
    edits: tuple[Edit, ...]
    safe: bool = True
    changes_tokens: bool = False


class Finding(Struct, frozen=True):
    """One thing that is wrong with this run.

    `severity` lowers the severity where this case is milder. `remedy` replaces that on
    the rule's page. `follows` names the rules that find its cause, the likeliest first: if one of
    them has a finding at least as severe, this finding is reported there as a proof. `error` is the
    error of a library that it reports, class and message: a rule that explains this error
    (`Rule.explains`) also finds the cause.
    """

    place: Place
    message: str
    evidence: tuple[str, ...] = ()
    fix: Fix | None = None
    severity: Severity | None = None
    remedy: str = ""
    follows: tuple[str, ...] = ()
    error: str = ""


def as_advice(finding: Finding) -> Finding:
    """The finding with its fix as a remedy in words: for what no repair can change."""
    remedy = finding.remedy or (finding.fix.message if finding.fix else "")
    return replace(finding, fix=None, remedy=remedy)
