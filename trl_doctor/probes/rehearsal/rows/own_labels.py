"""Rows that a script has tokenized and labelled itself."""

from __future__ import annotations

import itertools
from typing import Any

from .sources import Row

COMPARED = 48
"""Rows to train on that are looked at, at most."""


def labelled(rows: Any) -> list[Row]:
    """Those of the first rows that have tokens and labels."""
    first = itertools.islice(iter(rows), COMPARED)
    return [row for row in first if "input_ids" in row and "labels" in row]


def learned(row: Row) -> list[bool]:
    """Which tokens of a row are learned."""
    return [label != -100 for label in row["labels"]]
