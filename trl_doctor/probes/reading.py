"""The rows of a local data file, in any format that `datasets` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KINDS = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "csv",
    ".parquet": "parquet", ".arrow": "arrow", ".txt": "text",
}  # fmt: skip
"""What `load_dataset` reads a file with, by the end of its name."""

LARGEST = 64 * 1024**2
"""Bytes of a file that is one JSON array."""


def read(file: Path) -> Iterator[dict[str, Any]]:
    """The rows one by one; raises `OSError` and `ValueError`."""
    if KINDS.get(file.suffix, "json") == "json":
        yield from _json(file)
        return
    import datasets

    try:
        found = datasets.load_dataset(
            KINDS[file.suffix], data_files=str(file), split="train", streaming=True
        )
        yield from found
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {str(error)[:200]}") from error


def _json(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        start = lines.read(256).lstrip()
        lines.seek(0)
        if start.startswith("["):
            if file.stat().st_size > LARGEST:
                raise ValueError("it is too large")
            items: Any = json.load(lines)
        else:
            items = (json.loads(line) for line in lines if line.strip())
        for item in items:
            if not isinstance(item, dict):
                raise ValueError("a row is no mapping")
            yield item
