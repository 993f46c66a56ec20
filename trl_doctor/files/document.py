"""JSON and YAML files: read within limits, with the position of each value."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Json, Place, Put, Remove, Spot, route
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.formats import json_text
from trl_doctor.files.formats.text import BYTE_ORDER_MARK, Invalid, Position, position
from trl_doctor.files.regular import opened

if TYPE_CHECKING:
    from trl_doctor.files.formats.json_places import Member
    from trl_doctor.files.formats.yaml_part import Part

__all__ = ["Document", "Format", "Kind", "Position", "Unreadable", "parse", "read", "read_bytes"]

SIZE_LIMIT = 64 * 2**20
"""Bytes; a larger file is refused unread. The largest tokenizer.json seen has half of it."""

Format: TypeAlias = Literal["json", "yaml", "python"]
Kind: TypeAlias = Literal[
    "missing",
    "not-a-file",
    "permission",
    "lfs-pointer",
    "empty",
    "too-large",
    "not-text",
    "invalid",
    "too-deep",
]
_ABSENT = "is not there"


class Unreadable(Unavailable):
    """A file that gives no value; the message is a clause that names file, line and column.

    `problem` is the clause without its subject ("is not valid JSON: …"); `line` and `column`
    count from 1 and are None if the problem has no one place.
    """

    def __init__(self, path: Path, kind: Kind, problem: str, at: Position | None = None) -> None:
        name = path.name or str(path)
        place = f"{name}:{at.line}:{at.column}" if at else name
        absent = kind == "missing" and problem == _ABSENT
        super().__init__(f"there is no {name}" if absent else f"{place} {problem}")
        self.path = path
        self.kind: Kind = kind
        self.problem = problem
        self.line = at.line if at else None
        self.column = at.column if at else None


def value_at(value: Json, *keys: str | int, default: Json = None) -> Json:
    """The value that a route of keys leads to; `default` where it leads nowhere."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return default
    return value


class Document(Struct, frozen=True, eq=False, dict=True):
    """A file as it was read: its bytes, and the value that they hold."""

    path: Path
    data: bytes
    value: Json
    format: Format = "json"

    def get(self, *keys: str | int, default: Json = None) -> Json:
        """The value that a route of keys leads to; `default` where it leads nowhere."""
        return value_at(self.value, *keys, default=default)

    def place(self, pointer: str) -> Place:
        """The place of a value in this file."""
        return Place(self.path, pointer)

    def line_place(self, line: int) -> Place:
        """The place of a whole line, counted from 1: of a comment, which no pointer names."""
        return Place(self.path, spot=Spot(line, 1))

    def notes(self) -> tuple[str, ...]:
        """What a reader of the report should know of how it was read."""
        return ()

    def holds(self, file: Path) -> bool:
        """Whether the values of this document are written in a file."""
        return file == self.path

    def refuses(self, edits: Sequence[Put | Remove]) -> str:
        """Why edits cannot be made in this file; "" if nothing is known against them."""
        return ""

    def mapping(self) -> dict[str, Json]:
        """The value, which must be an object: raises `Unreadable` ("invalid") where it is none."""
        if isinstance(self.value, dict):
            return self.value
        if self.format == "yaml" and self.value is None:
            raise Unreadable(self.path, "empty", "holds no value")
        noun = "a JSON object" if self.format == "json" else "a mapping of keys"
        problem = f"is {_noun(self.value)} where {noun} is expected"
        raise Unreadable(self.path, "invalid", problem, self.value_position(""))

    def position(self, pointer: str) -> Position:
        """The start of the member at a JSON pointer: its key, or an item itself.

        For a member that does not exist, it is the position of its nearest ancestor.
        """
        return position(self._text, self._part(pointer).start)

    def repeated(self) -> dict[tuple[str, ...], list[int]]:
        """The keys of a YAML file that occur more than once in their mapping, with their lines."""
        if self.format != "yaml":
            return {}
        repeated: dict[tuple[str, ...], list[int]] = {}
        waiting: list[tuple[tuple[str, ...], Part]] = [((), self._tree)]
        while waiting:
            route, tree = waiting.pop()
            lines: dict[tuple[str, ...], list[int]] = {}
            counting: dict[tuple[str, ...], Part] = {}
            for number, part in enumerate(tree.parts):
                inner = (*route, str(number) if part.key is None else part.key)
                counting[inner] = part  # what a mapping that is replaced has inside counts nowhere
                if part.key is not None:
                    lines.setdefault(inner, []).append(position(self._text, part.start).line)
            waiting.extend(counting.items())
            repeated.update({key: at for key, at in lines.items() if len(at) > 1})
        return repeated

    def value_position(self, pointer: str) -> Position:
        """Like `position`, but of a member's value instead of its key."""
        return position(self._text, self._part(pointer).value)

    def line_text(self, line: int) -> str:
        """The text of a line, counted from 1, without its line end; "" if there is none."""
        lines = self._text.split("\n", line)
        return lines[line - 1].removesuffix("\r") if 0 < line <= len(lines) else ""

    @cached_property
    def _text(self) -> str:
        return self.data.decode().removeprefix(BYTE_ORDER_MARK)

    @cached_property
    def _tree(self) -> Part:
        from trl_doctor.files.formats import yaml_text

        return yaml_text.parse(self.data)

    def _part(self, pointer: str) -> Member | Part:
        if self.format == "json":
            from trl_doctor.files.formats.json_places import locate

            return locate(self._text, route(pointer))
        return self._tree.locate(route(pointer))


def read(path: Path) -> Document:
    """The document in a file: JSON in *.json, YAML in *.yaml and *.yml, else what fits.

    Raises `Unreadable`; never blocks, and reads at most `SIZE_LIMIT` bytes.
    """
    return parse(path, read_bytes(path))


def parse(path: Path, data: bytes) -> Document:
    """The document that these bytes of a file hold; raises `Unreadable`."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".json":
            return Document(path, data, json_text.parse(data), "json")
        if suffix in (".yaml", ".yml"):
            return Document(path, data, _yaml_value(data), "yaml")
        return _of_either_format(path, data)
    except Invalid as error:
        raise Unreadable(path, error.flaw, error.problem, error.at) from None


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file that is no Git LFS pointer; raises `Unreadable`."""
    try:
        data = _read_regular(path)
    except (OSError, ValueError) as error:
        raise _unopened(path, error) from error
    if not data:
        raise Unreadable(path, "empty", "is empty")
    if len(data) > SIZE_LIMIT:
        raise _too_large(path)
    if data.startswith(b"version https://git-lfs.github.com/spec/v1") and len(data) < 1024:
        problem = "is a Git LFS pointer, not the file: run git lfs pull"
        raise Unreadable(path, "lfs-pointer", problem)
    return data


def _read_regular(path: Path) -> bytes:
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > SIZE_LIMIT:
            raise _too_large(path)
        return file.read(SIZE_LIMIT + 1)


def _too_large(path: Path) -> Unreadable:
    return Unreadable(path, "too-large", f"is larger than {SIZE_LIMIT // 2**20} MiB")


def _unopened(path: Path, error: OSError | ValueError) -> Unreadable:
    if isinstance(error, PermissionError):
        return Unreadable(path, "permission", "may not be read: permission denied")
    if isinstance(error, IsADirectoryError):
        return Unreadable(path, "not-a-file", f"is {error.args[-1]}, not a file")
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return Unreadable(path, "missing", "is a link to a file that does not exist")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return Unreadable(path, "missing", _ABSENT)
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return Unreadable(path, "not-a-file", f"cannot be read: {reason}")


def _yaml_value(data: bytes) -> Json:
    from trl_doctor.files.formats import yaml_text

    return deepcopy(yaml_text.parse(data).content)


def _of_either_format(path: Path, data: bytes) -> Document:
    try:
        return Document(path, data, json_text.parse(data), "json")
    except Invalid as json_error:
        try:
            return Document(path, data, _yaml_value(data), "yaml")
        except Invalid as yaml_error:
            looks_like_json = data.lstrip()[:1] in (b"{", b"[")
            raise (json_error if looks_like_json else yaml_error) from None


def _noun(value: Json) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
