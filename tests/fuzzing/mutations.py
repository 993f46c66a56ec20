"""Mutations: of bytes, of lines, of values, and by the name of the file."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

from fuzzing.oddities import (
    CODE_LINES,
    HEAVY,
    KEYS,
    ODD,
    ROWS,
    TEMPLATES,
    TOML_LINES,
    WHOLE,
    YAML_LINES,
)

HEAVY_EVERY = 1500
"""Every so many chat templates, one that uses up its limit on time or memory."""

SIGNS = "'\"$(){}`\\<>|&;#\n ,=[]*~!\t\r\x00\x1b\u2028é"

Mutation = Callable[[random.Random, bytes], bytes]


def flip(chance: random.Random, data: bytes) -> bytes:
    out = bytearray(data or b"x")
    for _ in range(chance.choice((1, 1, 3, 20))):
        out[chance.randrange(len(out))] = chance.randrange(256)
    return bytes(out)


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def repeat(chance: random.Random, data: bytes) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] * chance.choice((1, 1, 5)) + data[end:]


def drop(chance: random.Random, data: bytes) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def replace_whole(chance: random.Random, data: bytes) -> bytes:
    return chance.choice(WHOLE)


def line_ends(chance: random.Random, data: bytes) -> bytes:
    changed = data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n")))
    return chance.choice((b"", b"\xef\xbb\xbf")) + changed


def code_lines(chance: random.Random, data: bytes) -> bytes:
    """Python with lines of others, or its own ones elsewhere, indented otherwise, or gone."""
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(lines) + 1)
        line = chance.choice((*CODE_LINES, *lines))
        lines[at : at + chance.randrange(2)] = [chance.choice(("", "", "    ", "\t")) + line]
    return "\n".join(lines).encode("utf-8", "replace")


def yaml_lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(YAML_LINES))
    return "\n".join(lines).encode("utf-8", "replace")


def header(chance: random.Random, data: bytes) -> bytes:
    """Safetensors: another length, or another header of the right length."""
    (length,) = struct.unpack("<Q", data[:8].ljust(8, b"\0"))
    head, body = data[8 : 8 + length], data[8 + length :]
    if chance.random() < 0.2:
        length = chance.choice((0, 1, length - 1, length + 1, 2**20, 2**63, 2**64 - 1))
        return struct.pack("<Q", length) + head + body
    changed = values(chance, head)
    return struct.pack("<Q", len(changed)) + changed + body


# Mutations of values


def values(chance: random.Random, data: bytes) -> bytes:
    """JSON or YAML-as-JSON with some of its values changed, dropped, added or exchanged."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip(chance, data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        value = changed(chance, value)
    return _dumped(chance, value)


def _dumped(chance: random.Random, value: Any) -> bytes:
    indent = 2 if chance.random() < 0.2 else None  # with one, Python's own slow encoder works
    text = json.dumps(value, ensure_ascii=chance.random() < 0.9, indent=indent)
    return text.encode("utf-8", "surrogatepass")


def rows(chance: random.Random, data: bytes) -> bytes:
    """JSON Lines with some values of one row changed, or a row that is something else."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    if chance.random() < 0.2:
        lines.insert(at, chance.choice(ROWS))
    else:
        lines[at] = values(chance, lines[at])
    return b"\n".join(lines)


def noise(chance: random.Random, data: bytes) -> bytes:
    """Characters that mean something to a shell, to TOML or to a table, anywhere."""
    text = data.decode("utf-8", "replace")
    for _ in range(chance.choice((1, 1, 2, 6))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(SIGNS) + text[at + chance.randrange(2) :]
    return text.encode()


def toml_lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + chance.randrange(2)] = [chance.choice(TOML_LINES)]
    return "\n".join(lines).encode()


def encoded(chance: random.Random, data: bytes) -> bytes:
    """The same text in another encoding, or with a byte order mark."""
    text = data.decode("utf-8", "replace")
    form = chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7", "cp1252"))
    return text.encode(form, "replace")


def inflated(chance: random.Random, data: bytes) -> bytes:
    """One of its lines, or a sign, very often."""
    line = chance.choice(data.split(b"\n")) + b"\n"
    filler = chance.choice((line, b" ", b"\n", b"\t", b"#", b"[", b"a: "))
    return data + filler * (chance.choice((50, 1000, 20_000)) // len(filler) + 1)


def odd(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(ODD))


def changed(chance: random.Random, value: Any) -> Any:
    holders = list(spots(value))
    if not holders or chance.random() < 0.02:
        return odd(chance)
    holder, key = chance.choice(holders)
    action = chance.randrange(8)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = holder.pop(key)
    elif action == 2:
        other, name = chance.choice(holders)
        holder[key] = json.loads(json.dumps(other[name]))
    elif action == 3:
        holder[key] = chance.choice(([holder[key]], {chance.choice(KEYS): holder[key]}))
    elif action == 4 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = odd(chance)
    elif action == 5 and isinstance(holder, list):
        holder.extend(holder[:50])
    elif isinstance(holder[key], str) and ("{%" in holder[key] or "{{" in holder[key]):
        holder[key] = template(chance, holder[key])
    else:
        holder[key] = odd(chance)
    return value


def spots(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Holders and keys, those near the root the most often."""
    places = list(value.items()) if isinstance(value, dict) else []
    places = list(enumerate(value))[:8] if isinstance(value, list) else places[:60]
    for key, inner in places:
        for _ in range(max(1, 4 - depth)):
            yield value, key
        if depth < 5:
            yield from spots(inner, depth + 1)


def template(chance: random.Random, old: str) -> str:
    if chance.randrange(HEAVY_EVERY) == 0:
        return chance.choice(HEAVY)
    if chance.random() < 0.5:
        return chance.choice(TEMPLATES)
    return chance.choice((flip, cut, repeat, drop))(chance, old.encode()).decode("utf-8", "replace")


def jinja(chance: random.Random, data: bytes) -> bytes:
    return template(chance, data.decode("utf-8", "replace")).encode("utf-8", "replace")


BYTES: list[Mutation] = [
    flip, cut, repeat, drop, replace_whole, line_ends, encoded, inflated,
]  # fmt: skip


OWN: dict[str, list[Mutation]] = {
    "yaml": [yaml_lines] * 8,
    "safetensors": [header] * 10,
    "py": [code_lines] * 14,
    "jinja": [jinja] * 8,
    "jsonl": [rows] * 16,
    "toml": [toml_lines, toml_lines, noise] * 4,
    "parquet": [flip] * 8,
    "arrow": [flip] * 8,
    "model": [flip] * 8,
    "json": [values] * 22,
    "ipynb": [values] * 22,
}
"""Mutations by the end of a file's name, beside those of bytes."""


def mutations(name: str) -> list[Mutation]:
    """What can be done to a file of this name, the telling ones the most often."""
    return [*BYTES, *OWN.get(name.rpartition(".")[2], [noise] * 10)]
