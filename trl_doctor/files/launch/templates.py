"""A YAML file that another program fills in: Helm, Jinja, the expressions of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

from trl_doctor.files import document
from trl_doctor.files.unknown_word import PLACEHOLDER

EXPRESSION = re.compile(rb"\$?\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
ALONE = re.compile(rb"(?m)^[ \t]*(?:\{\{.*?\}\}|\{%.*?%\})[ \t]*\r?$")
"""A line that holds nothing else: a condition, a loop, an inclusion."""


VALUE = re.compile(
    rb"\{\{-?\s*(?:(?:quote|int|toString)\s+)?\.Values\.([\w.]+)"
    rb"(?:\s*\|\s*(?:quote|squote|int|int64|toString))*\s*-?\}\}"
)
"""A value of Helm, by itself."""

MATRIX = re.compile(rb"\$\{\{\s*matrix\.([\w-]+)\s*\}\}")
MOST = 6
"""The most combinations of a matrix that are read."""


def with_values(path: Path, data: bytes) -> bytes:
    """A template of Helm with the values of its chart, as far as these are known."""
    values = path.parent.parent / "values.yaml"
    if b".Values." not in data or path.parent.name != "templates" or not values.is_file():
        return data
    try:
        known = document.read(values).value
    except document.Unreadable:
        return data

    def value(match: re.Match[bytes]) -> bytes:
        found = document.value_at(known, *match[1].decode().split("."))
        plain = isinstance(found, str | int | float) and "\n" not in str(found)
        text = str(found).lower() if isinstance(found, bool) else str(found)
        return text.encode() if plain else match[0]

    return VALUE.sub(value, data)


def turns_of_matrix(data: bytes) -> Iterator[tuple[bytes, tuple[tuple[str, str], ...]]]:
    """A workflow of GitHub with each combination of the matrix whose values it uses.

    Only lists of texts and numbers count, and one matrix in a file.
    """
    names = list(dict.fromkeys(name.decode() for name in MATRIX.findall(data)))
    lists = [_listed(data, name) for name in names]
    known = {name: values for name, values in zip(names, lists, strict=True) if values}
    if not known or len(re.findall(rb"(?m)^[ \t]+matrix:", data)) != 1:
        yield data, ()
        return
    for chosen in islice(product(*known.values()), MOST):
        turn = dict(zip(known, chosen, strict=True))

        def value(match: re.Match[bytes], turn: dict[str, str] = turn) -> bytes:
            return turn.get(match[1].decode(), match[0].decode()).encode()

        yield MATRIX.sub(value, data), tuple(turn.items())


def _listed(data: bytes, name: str) -> list[str]:
    """The values that the matrix gives a name: `name: [a, b]`."""
    found = re.findall(rb"(?m)^[ \t]+" + re.escape(name.encode()) + rb":[ \t]*\[([^\]{}]*)\]", data)
    if len(found) != 1:
        return []
    return [part.strip().strip("\"'") for part in found[0].decode(errors="replace").split(",")]


def plain_yaml(data: bytes) -> bytes:
    """The file with `PLACEHOLDER` for each value that is filled in; lines keep their numbers."""
    if b"{{" not in data and b"{%" not in data:
        return data
    return EXPRESSION.sub(_filled, ALONE.sub(b"", data))


def _filled(match: re.Match[bytes]) -> bytes:
    lines = b"\n" * match[0].count(b"\n")
    return lines if match[0].startswith((b"{%", b"{#")) else PLACEHOLDER.encode() + lines
