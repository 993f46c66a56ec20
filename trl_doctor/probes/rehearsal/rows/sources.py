"""The rows that a script has read, before it has changed any."""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...reading import json_rows

Row = Mapping[str, Any]

MOST, FILES, FEWEST = 2048, 4, 8
"""Rows of a file or a data set, and how many of these, are read at most; and its rows at least."""

ENDINGS = (".jsonl", ".json", ".csv", ".tsv")


def sources(loaded: list[Any], files: list[Path]) -> list[list[Row]]:
    """The rows of each data set that was loaded, or of each file if none was."""
    if loaded:
        parts = [part for data in loaded for part in _parts(data)]
        return [list(itertools.islice(iter(part), MOST)) for part in parts[:FILES]]
    found: list[list[Row]] = []
    for file in dict.fromkeys(files):
        if (file.parent / "config.json").exists():  # of a model
            continue
        with contextlib.suppress(Exception):  # no file of rows
            found.append(list(itertools.islice(_rows(file), MOST)))
    return [rows for rows in found if len(rows) >= FEWEST][:FILES]


def _parts(data: Any) -> list[Any]:
    parts = list(data.values()) if isinstance(data, dict) else [data]
    return [part for part in parts if hasattr(part, "__len__")]


def _rows(file: Path) -> Iterator[Row]:
    if file.suffix in (".csv", ".tsv"):
        with file.open(newline="", encoding="utf-8-sig") as stream:
            yield from csv.DictReader(stream, delimiter="\t" if file.suffix == ".tsv" else ",")
    else:
        yield from json_rows(file)
