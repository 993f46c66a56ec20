"""The rows that a script has read, before it has changed any."""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...reading import json_rows

Row = Mapping[str, Any]

MOST, FILES, FEWEST = 2048, 4, 8
"""Rows of a file or a data set, and how many of these, are read at most; and its rows at least."""

TABLES = 6
"""Data sets, files and frames together."""

ENDINGS = (".jsonl", ".json", ".csv", ".tsv")


class Read(NamedTuple):
    """What a script has read, before it has changed any of it."""

    rows: list[list[Row]]
    """The rows of each data set, or of each file if there is no data set."""

    tables: list[list[Row]]
    """The rows of all of these together, and of frames of pandas, each table once."""


def what_was_read(loaded: list[Any], files: list[Path], frames: list[list[Row]]) -> Read:
    """The first rows of data sets, of files, and of frames of pandas."""
    sets, read = _of_sets(loaded), of_files(files)
    found: dict[tuple[str, ...], list[Row]] = {}
    for rows in (*sets, *frames, *read):
        if len(rows) >= FEWEST:
            found.setdefault(tuple(map(_written, rows[0].values())), rows)
    return Read(sets if loaded else read, list(found.values())[:TABLES])


def _written(value: Any) -> str:
    """What a file has for a value: pandas makes numbers of texts, and nan of empty ones."""
    text = "" if value is None else str(value).strip()
    try:
        return f"{float(text):g}".replace("nan", "")
    except ValueError:
        return text


def one_file(files: Any, split: str) -> str:
    """The file of a split by what `load_dataset` takes as `data_files`; "" if it is not one."""
    if isinstance(files, Mapping):
        files = files.get(split, files if len(files) > 1 else [*files.values()][:1])
    if isinstance(files, (list, tuple)) and len(files) == 1:
        files = files[0]
    return files if isinstance(files, str) else ""


def of_files(files: list[Path]) -> list[list[Row]]:
    """The rows of each file that has some."""
    found: list[list[Row]] = []
    for file in dict.fromkeys(files):
        if (file.parent / "config.json").exists():  # of a model
            continue
        with contextlib.suppress(Exception):  # no file of rows
            found.append(list(itertools.islice(rows_of_file(file), MOST)))
    return [rows for rows in found if len(rows) >= FEWEST][:FILES]


def _of_sets(loaded: list[Any]) -> list[list[Row]]:
    parts = [part for data in loaded for part in _parts(data)]
    return [list(itertools.islice(iter(part), MOST)) for part in parts[:FILES]]


def _parts(data: Any) -> list[Any]:
    parts = list(data.values()) if isinstance(data, dict) else [data]
    return [part for part in parts if hasattr(part, "__len__")]


def rows_of_file(file: Path) -> Iterator[Row]:
    """The rows of a file of JSON, or of a table of texts."""
    if file.suffix in (".csv", ".tsv"):
        with file.open(newline="", encoding="utf-8-sig") as stream:
            yield from csv.DictReader(stream, delimiter="\t" if file.suffix == ".tsv" else ",")
    else:
        yield from json_rows(file)
