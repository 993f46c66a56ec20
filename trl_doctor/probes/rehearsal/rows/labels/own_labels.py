"""Rows that a script has tokenized and labelled itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..letters import letters
from ..records import ANSWERS, HEAD
from ..sources import Row

COMPARED = 48
"""Rows to train on that are looked at, at most."""


def labelled(rows: Any) -> list[Row]:
    """Those of the first rows that have tokens and labels."""
    first = itertools.islice(iter(rows), COMPARED)
    return [row for row in first if "input_ids" in row and "labels" in row]


def learned(row: Row) -> list[bool]:
    """Which tokens of a row are learned."""
    return [label != -100 for label in row["labels"]]


def learned_from(row: Row) -> int | None:
    """The place from which on all tokens are learned, the end for none; None if some are not."""
    kept = learned(row)
    begins = kept.index(True) if True in kept else len(kept)
    return begins if all(kept[begins:]) else None


def answered(record: Row) -> Iterator[tuple[str, str]]:
    """The question of a record, its longest other text, and its answer."""
    for name, answer in record.items():
        if name.lower() in ANSWERS and isinstance(answer, str) and answer.split():
            asked = [text for other, text in record.items()
                     if other != name and isinstance(text, str)]  # fmt: skip
            question = max(asked, key=lambda text: len(letters(text)), default="")
            if len(letters(question)) >= HEAD:
                yield question, answer
