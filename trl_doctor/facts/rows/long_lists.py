"""The first rows of a file that is one long list of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Json

BETWEEN = re.compile(r"[\s,]*")


def is_long_list(file: Path, largest: int) -> bool:
    """Whether a file is a list with more than so many bytes. Raises `OSError`."""
    if file.stat().st_size <= largest:
        return False
    with file.open("rb") as stream:
        return stream.read(256).decode("utf-8-sig", "ignore").lstrip().startswith("[")


def first_items(file: Path, largest: int) -> Iterator[dict[str, Json]]:
    """The rows that end in the first bytes, one by one.

    Raises `OSError`, and `ValueError` where the first row is longer, or one is no mapping.
    """
    with file.open("rb") as stream:
        text = stream.read(largest).decode("utf-8-sig", "ignore")
    decoder, at, rows = json.JSONDecoder(), text.index("[") + 1, 0
    while (begins := _after(text, at)) < len(text):
        try:
            row, at = decoder.raw_decode(text, begins)
        except ValueError:  # it goes on behind what was read
            break
        if not isinstance(row, dict):
            raise ValueError("a row is no mapping")
        rows += 1
        yield row
    if not rows:
        raise ValueError("a row is too large")


def _after(text: str, at: int) -> int:
    between = BETWEEN.match(text, at)
    return between.end() if between else at
