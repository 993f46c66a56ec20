"""Questions and answers that a script's `map` has cut off with the end of a long text."""

from __future__ import annotations

from typing import Any

from ...reward_functions.rows import GOLD
from .questions import FIELDS
from .sources import Row

LOST = frozenset({*GOLD, *FIELDS} - {"label"})
"""Columns that a text cannot do without."""

FEWEST, SHARE = 5, 0.2
"""Rows of which a text is cut off, at least, and their share of all."""

TRACE = 12
"""Characters of a text by which its beginning would be found."""


def cut_off(before: list[Row], after: list[Row]) -> list[str] | None:
    """The column and the text that lacks it, its length and the counts; None if nothing is cut.

    All texts without it have one length and none is longer: they were cut at it, and not left out
    on purpose. Texts of the same rows that are shorter have it.
    """
    for name in after[0] if after else ():
        texts = [_text(row.get(name)) for row in after]
        longest = max(map(len, texts))
        full = [len(text) == longest for text in texts]
        if sum(full) < max(FEWEST, SHARE * len(texts)) or all(full):
            continue
        for column in sorted(LOST & before[0].keys() - {name}):
            values = [_text(row.get(column)).strip() for row in before]
            if min(map(len, values)) < TRACE or _is_quoted(before, column, values):
                continue
            whole = [value in text for value, text in zip(values, texts)]
            gone = [value[:TRACE] not in text for value, text in zip(values, texts)]
            kept = [has for has, cut in zip(whole, full) if not cut]
            lost = sum(gone)
            if not all(kept) or any(none and not cut for none, cut in zip(gone, full)):
                continue
            if lost >= max(FEWEST, SHARE * len(texts)):
                return [column, name, str(longest), str(lost), str(len(texts))]
    return None


def _is_quoted(rows: list[Row], column: str, values: list[str]) -> bool:
    """Whether another column has the text as well, as the context that an answer is taken from."""
    others = [[_text(cell) for name, cell in row.items() if name != column] for row in rows]
    return any(value in text for value, texts in zip(values, others) for text in texts)


def _text(value: Any) -> str:
    """A text, or all texts of messages."""
    if isinstance(value, list):
        return "\n".join(_text(part.get("content")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""
