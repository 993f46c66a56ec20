"""Writes weights whose embedding has other rows than the file they are made of: shapes alone."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

EMBEDDINGS = ("embed", "lm_head", "wte", "output", "word_embeddings")
"""Parts of the names of tensors with a row for each id of the vocabulary."""


def resized(source: Path, into: Path, before: int, rows: int) -> None:
    """Write a safetensors file like another one, with so many rows, and a hole for the numbers.

    Raises `ValueError` or `OSError` if the source is no such file.
    """
    with source.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > source.stat().st_size:
            raise ValueError(f"{source.name} is cut short")
        header: dict[str, Any] = json.loads(file.read(length))
    metadata = header.pop("__metadata__", None)
    end = 0
    for name, tensor in sorted(header.items(), key=lambda entry: entry[1]["data_offsets"]):
        begin, old_end = tensor["data_offsets"]
        shape, size = tensor["shape"], old_end - begin
        if shape and shape[0] == before and any(part in name for part in EMBEDDINGS):
            size = size // before * rows
            tensor["shape"] = [rows, *shape[1:]]
        tensor["data_offsets"] = [end, end + size]
        end += size
    text = json.dumps({**({"__metadata__": metadata} if metadata else {}), **header}).encode()
    with into.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)
