"""The rows of a local data file, in any format that `datasets` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

KINDS = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet", ".arrow": "arrow", ".txt": "text",
}  # fmt: skip
"""What `load_dataset` reads a file with, by the end of its name."""

LARGEST = 64 * 1024**2
"""Bytes of a row, or of a file that is one JSON array."""


def rows_of(file: Path) -> Iterator[dict[str, Any]]:
    """The rows one by one; raises `OSError` and `ValueError`."""
    if KINDS.get(file.suffix, "json") == "json":
        yield from json_rows(file)
        return
    import datasets

    try:
        rows = datasets.load_dataset(
            KINDS[file.suffix], data_files=str(file), split="train", streaming=True
        )
        yield from rows
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {str(error)[:200]}") from error


def texts(value: Any) -> Iterator[str]:
    """All texts in a row or a part of it. Numbers of a long list, as of tokens, are passed over."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for part in value.values() if isinstance(value, Mapping) else value:
            if not isinstance(part, (int, float)):
                yield from texts(part)


def columns(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The columns that any of the rows has, in their order."""
    return list(dict.fromkeys(name for row in rows for name in row))


def json_rows(file: Path, largest: int = LARGEST) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON: one a line, or one array; either of at most so many bytes."""
    with file.open("rb") as stream:
        start = stream.read(256).decode("utf-8-sig", "ignore").lstrip()
        stream.seek(0)
        if start.startswith("["):
            data = stream.read(largest + 1)
            if len(data) > largest:
                raise ValueError("it is too large")
            items: Any = json.loads(data.decode("utf-8-sig"))
        else:
            items = (json.loads(line) for line in _lines(stream, largest) if line.strip())
        for item in items:
            if not isinstance(item, dict):
                raise ValueError("a row is no mapping")
            yield item


def _lines(stream: BinaryIO, largest: int) -> Iterator[str]:
    """The lines of a file, of which none may fill the memory."""
    coding = "utf-8-sig"
    while line := stream.readline(largest):
        if len(line) == largest:
            raise ValueError("a row is too large")
        yield line.decode(coding)
        coding = "utf-8"
