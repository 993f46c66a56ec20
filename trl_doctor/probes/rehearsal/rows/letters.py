"""What texts and rows are compared by: letters and digits alone."""

from __future__ import annotations

import re
from typing import Any

from ...reading import texts
from .sources import Row


def letters(text: str) -> str:
    """What is left of a text to compare it by."""
    return re.sub(r"\W+", "", text.lower())


def text_of(row: Row, tokenizer: Any) -> str:
    """The texts of a row that is trained on, also of one that has only tokens."""
    if "input_ids" in row:
        return str(tokenizer.decode(row["input_ids"], skip_special_tokens=False))
    return "\n".join(texts(row))
