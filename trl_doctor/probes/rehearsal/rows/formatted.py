"""Texts that a script's `formatting_func` makes, and the trainer never reads."""

from __future__ import annotations

import itertools
from typing import Any

from ...processing import tokenizer_in
from .excerpt import excerpt
from .left_out import CONVERSED, without_marks
from .letters import letters, text_of

FIRST = 8
"""Rows that are compared."""

READ = ("messages", "conversations", "prompt")
"""Columns that SFT reads before the texts of `formatting_func`."""


def formatted_in_vain(
    function: Any, rows: Any, prepared: Any, field: str, tokenizer: Any
) -> list[str] | None:
    """The function, the column that is trained on in its place, and the first of its texts.

    Nothing if a row has the text of the function, or as much of it as `max_length` leaves, nor if
    the function draws its texts.
    """
    names = set(getattr(rows, "column_names", None) or ())
    if not callable(function) or not names or "input_ids" in names:
        return None
    words = tokenizer_in(tokenizer)
    try:
        first = list(itertools.islice(iter(rows), FIRST))
        texts, again = ([function(dict(row)) for row in first] for _ in range(2))
        trained = [letters(without_marks(text_of(row, words), words))
                   for row in itertools.islice(iter(prepared), FIRST)]  # fmt: skip
    except Exception:  # its own error is told where the trainer calls it
        return None
    own = [letters(without_marks(text, words)) for text in texts if isinstance(text, str)]
    if texts != again or len(own) < len(texts) or not all(own) or not all(trained):
        return None
    if any(text in row or text.startswith(row) for text in own for row in trained):
        return None
    read = next((name for name in READ if name in names), field)
    if read not in names and read not in CONVERSED:
        return None
    return [getattr(function, "__name__", "formatting_func"), read, excerpt(texts[0])]
