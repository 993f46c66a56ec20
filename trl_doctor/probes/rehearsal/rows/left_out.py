"""A part of the question that the data have in a column of its own, and that no row has."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sized
from typing import Any

from ...reading import texts
from .letters import letters, text_of
from .records import HEAD, Records

COLUMN = re.compile(
    r"input|context|passage|document|system|system_prompt|system_message|history", re.IGNORECASE
)
"""Names of columns without which a question is not whole."""

COMPARED = 64
"""Rows that are compared with their records."""

FEWEST = 8
"""Rows whose record has the column, and different texts in it, at least."""

BEGIN = 40
"""Letters by which the text of a column is found: the trainer may have cut its end."""


def left_out(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """The column, a text of it and how many rows lack theirs; None if any row has its own."""
    every: Any = rows if isinstance(rows, Sized) else ()
    try:
        shown = [text_of(row, tokenizer) for row in itertools.islice(every, COMPARED)]
        return next(_columns(records, shown), None)
    except Exception:  # rows of another kind
        return None


def _columns(records: Records, shown: list[str]) -> Iterator[list[str]]:
    for number, table in enumerate(records.tables):
        for name in table[0] if table else ():
            if not COLUMN.fullmatch(str(name)):
                continue
            lost: list[str] = []
            for whole in shown:
                cells = (cell for cell in records.within(whole) if cell.table == number)
                at = next((cell.record for cell in cells if cell.column != name), None)
                text = " ".join(texts(table[at].get(name))) if at is not None else ""
                begin = letters(text)[:BEGIN]
                if len(begin) < HEAD:
                    continue
                if begin in letters(whole):
                    break
                lost.append(text)
            else:
                if len(set(lost)) >= FEWEST:
                    yield [str(name), lost[0][:60], str(len(lost))]
