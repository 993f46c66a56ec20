"""A tokenizer that splits the rows otherwise than its own tokenizer.json."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....loading.encoding import differences
from ....loading.tokens import raw_tokenizer
from ....processing import tokenizer_of
from ...record import Mistake
from ...rows.excerpt import excerpt

ROWS, LONGEST, SHOWN = 16, 4000, 4
"""Rows that are looked at, characters of a text, and tokens that are shown."""


def of_tokenizer(trainer: Any) -> Iterator[Mistake]:
    """The rows that get other tokens than the file of their tokenizer gives."""
    with contextlib.suppress(Exception):  # a tokenizer, or rows, of another kind
        tokenizer = tokenizer_of(trainer)
        folder = Path(str(tokenizer.name_or_path))
        raw = raw_tokenizer(folder)
        added = tokenizer.get_added_vocab()
        if raw is None or any(raw.token_to_id(token) != id for token, id in added.items()):
            return
        rows = itertools.islice(iter(trainer.train_dataset), ROWS)
        texts = [*dict.fromkeys(text for row in rows for text in _texts(row, tokenizer))]
        differs = differences(tokenizer, raw, texts)
        if differs:
            first = differs[0]
            parts = (
                " ".join(str(one) for one in part[:SHOWN]) for part in (first.meant, first.made)
            )
            counts = str(len(differs)), str(len(texts))
            words = [type(tokenizer).__name__, folder.name, *counts, *parts, excerpt(first.text)]
            yield Mistake("texts split otherwise", words)


def _texts(row: Any, tokenizer: Any) -> Iterator[str]:
    """The texts of a row, and those of its tokens."""
    for value in dict(row).values():
        if isinstance(value, str) and value.strip():
            yield value[:LONGEST]
        elif isinstance(value, list) and all(type(one) is int for one in value):
            text = str(tokenizer.decode(value)) if len({*value}) > 2 else ""  # no mask
            yield from [text[:LONGEST]] if text else []
