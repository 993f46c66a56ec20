"""The rows of a CSV or TSV file, with the types that `load_dataset` gives their cells."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from trl_doctor.core.finding import Json

ENDINGS = (".csv", ".tsv")

MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
"""Cells that pandas, which reads the file for `datasets`, takes for empty."""

TRUE, FALSE = ("True", "TRUE", "true"), ("False", "FALSE", "false")
WHOLE = re.compile(r" *[+-]?\d{1,18} *", re.ASCII)
NUMBER = re.compile(
    r" *[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?) *", re.ASCII | re.IGNORECASE
)


def table_rows(file: Path, largest: int, most: int) -> Iterator[dict[str, Json]]:
    """The first `most` rows; the cells of a column have the type that fits all of these.

    Of a file with more than `largest` bytes the rows that begin in these are read. Raises
    `OSError`, and `ValueError` where it is no table.
    """
    with file.open(encoding="utf-8-sig", newline="") as stream:
        lines = _first_lines(stream, largest)
        reader = csv.reader(lines, delimiter="\t" if file.suffix == ".tsv" else ",")
        try:
            head = next(reader, [])
            cells = [row for row in itertools.islice(reader, most) if row]
        except csv.Error as error:
            raise ValueError(str(error)) from error
        if len(cells) < most and stream.read(1):
            del cells[-1:]  # it may go on behind the last line that was read
    if any(len(row) > len(head) for row in cells) or len({*head}) < len(head):
        raise ValueError("its rows do not fit its header")
    columns = [
        [None if cell in MISSING else cell for cell in column]
        for column in itertools.islice(itertools.zip_longest(*cells), len(head))
    ]
    read = [_type([cell for cell in column if cell is not None], column) for column in columns]
    for row in zip(*columns, strict=True):
        values = [
            None if cell is None else convert(cell) for cell, convert in zip(row, read, strict=True)
        ]
        yield dict(itertools.zip_longest(head, values))


def _first_lines(stream: TextIO, largest: int) -> Iterator[str]:
    """The lines that begin in so many characters; raises `ValueError` for one that is longer."""
    read = 0
    while read < largest and (line := stream.readline(largest)):
        if len(line) == largest:
            raise ValueError("a row is too large")
        read += len(line)
        yield line


def _type(filled: list[str], column: list[str | None]) -> Callable[[str], Json]:
    """What makes the value of a cell: as pandas does, one type for all cells of a column."""
    if filled and all(cell in (*TRUE, *FALSE) for cell in filled):
        return lambda cell: cell in TRUE
    if any(NUMBER.fullmatch(cell) is None for cell in filled):
        return str
    whole = len(filled) == len(column) and all(map(WHOLE.fullmatch, filled))
    return int if whole else float
