"""The columns of a Parquet file, from its footer (Thrift's compact protocol).

https://parquet.apache.org/docs/file-format/metadata/ names the fields that are read here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from trl_doctor.files.regular import opened

MARK, LARGEST, DEEPEST = b"PAR1", 16 * 2**20, 64
"""Where a file begins and ends; bytes of a footer and depth of a value that are read."""

SCHEMA, NAME, CHILDREN = 2, 4, 5
"""Fields of `FileMetaData` and of a `SchemaElement`, by their numbers."""

TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12


def columns(file: Path) -> dict[str, tuple[str, ...]]:
    """The columns of a file, each with the names of all parts in it; none for a plain value.

    Raises `OSError`, and `ValueError` where the file is damaged.
    """
    try:
        schema = _Reader(_footer(file)).struct(0).get(SCHEMA)
        elements = iter(schema if isinstance(schema, list) else [])
        root = next(elements)
        metadata = {}
        for _ in range(root.get(CHILDREN, 0)):
            element = next(elements)
            metadata[_name(element)] = tuple(_inside(element, elements, 0))
    except (IndexError, AttributeError, StopIteration, RuntimeError, TypeError) as error:
        raise ValueError(f"the footer of {file.name} is damaged") from error
    return metadata


def _footer(file: Path) -> bytes:
    with opened(file) as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 8))
        end = stream.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MARK or length > min(LARGEST, size - 8):
            raise ValueError(f"{file.name} has no footer of a Parquet file")
        stream.seek(size - 8 - length)
        return stream.read(length)


def _inside(element: Any, elements: Iterator[Any], depth: int) -> Iterator[str]:
    """The names of all parts of an element, which follow it in the list."""
    if depth > DEEPEST:
        raise ValueError("columns nest too deeply")
    for _ in range(element.get(CHILDREN, 0)):
        child = next(elements, None)
        yield _name(child)
        yield from _inside(child, elements, depth + 1)


def _name(element: Any) -> str:
    return bytes(element.get(NAME, b"")).decode()


class _Reader(Struct):
    """Reads values of Thrift's compact protocol one after the other."""

    data: bytes
    at: int = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """A struct's fields by number; what is behind the schema is not read."""
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            field = field + delta if delta else self._number()
            fields[field] = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
            if not depth and field == SCHEMA:
                break
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("values nest too deeply")
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            head = self._byte()
            count, inner = head >> 4, head & 15
            count = self._plain() if count == 15 else count
            if count > len(self.data):
                raise ValueError("a list is longer than its file")
            return [self._value(inner, depth + 1) for _ in range(count)]
        if kind == BINARY:
            return self._bytes(self._plain())
        if kind == DOUBLE:
            return self._bytes(8)
        if kind in (TRUE, FALSE, BYTE):
            return self._byte()
        if kind == MAP:
            raise ValueError("the schema of a Parquet file has no maps")
        return self._number()

    def _number(self) -> int:
        plain = self._plain()
        return (plain >> 1) ^ -(plain & 1)

    def _plain(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number is too long")

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _bytes(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self.data):
            raise ValueError("a text is longer than its file")
        return self.data[self.at - count : self.at]
