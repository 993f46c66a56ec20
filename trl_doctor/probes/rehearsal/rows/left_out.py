"""A part of the question that the data have in a column of its own, and that no row has."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sized
from typing import Any

from ...reading import texts
from .intent import CLOSED_BOOK, removes, says
from .letters import letters, text_of
from .records import HEAD, Cell, Records

COLUMN = re.compile(
    r"input|context|passage|document|system|system_prompt|system_message|history", re.IGNORECASE
)
"""Names of columns without which a question is not whole."""

COMPARED = 64
"""Rows that are compared with their records."""

FEWEST = 8
"""Rows whose record has the column, and different texts in it, at least."""

PIECE, MOST = 40, 4000
"""Letters by which a part of a column's text is found, and those that are looked at."""


def left_out(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """The column, a text of it and how many rows lack theirs; None if any row has its own."""
    every: Any = rows if isinstance(rows, Sized) else ()
    try:
        columns = [(number, name) for number, table in enumerate(records.tables)
                   for name in table[0] if COLUMN.fullmatch(str(name))]  # fmt: skip
        first = itertools.islice(every, COMPARED if columns else 0)
        shown = [text_of(row, tokenizer) for row in first]
        placed = [(letters(text), records.within(text)) for text in shown]
        found = (_lost(records, *column, placed) for column in columns)
        words = next((words for words in found if words), None)
        return None if words and (removes(words[0]) or says(CLOSED_BOOK)) else words
    except Exception:  # rows of another kind
        return None


def _lost(
    records: Records, number: int, name: str, placed: list[tuple[str, set[Cell]]]
) -> list[str] | None:
    """The same of one column of a table, for rows by their letters and the cells in them."""
    table, lost = records.tables[number], list[str]()
    used = {cell.column for _, cells in placed for cell in cells if cell.table == number}
    if name == "input" and "output" in table[0] and "output" not in used:
        return None  # of a test of the program that is learned
    for whole, cells in placed:
        others = (cell for cell in cells if cell.table == number and cell.column != name)
        own = next(others, None)
        parts = list(texts(table[own.record].get(name))) if own else []
        pieces = [piece for part in parts for piece in _pieces(letters(part))]
        if not pieces:
            continue
        if any(piece in whole for piece in pieces):
            return None
        lost.append(" ".join(parts))
    return [name, lost[0][:60], str(len(lost))] if len(set(lost)) >= FEWEST else None


def _pieces(text: str) -> list[str]:
    """Parts of a text: a row may have a sentence of it, or a trainer may have cut its end."""
    starts = range(0, min(len(text), MOST), PIECE)
    return [piece for at in starts if len(piece := text[at : at + PIECE]) >= HEAD]
