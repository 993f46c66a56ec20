"""Texts that end with one of a few labels, where the loss is about the whole text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from ..letters import text_of
from ..sources import Row

COMPARED, FEWEST = 64, 4
"""Rows that are looked at, and how many there are, at least."""

LONGEST, MOST = 24, 8
"""Characters of a label, and different labels, at most."""

SHARE = 0.08
"""The share of the texts that are labels, below which it is reported."""

ASKED = (":", "=", ">", "]", "\n")
"""What stands before a label that is the whole answer, and not the end of a sentence."""

REASONS = re.compile(r"reason|rational|explan|thought|think|cot\b|steps|solution|analysis", re.I)
"""Columns with what leads to a label, which is learned, too."""

CHOSEN = frozenset({"completion_mask", "assistant_masks"})
"""Columns that say which tokens are learned."""


def small_labels(tables: list[list[Row]], rows: Any, tokenizer: Any) -> list[str] | None:
    """The column of the labels, two of them, and their share of the texts in percent."""
    first: list[Row] = list(itertools.islice(iter(rows), COMPARED))
    if len(first) < FEWEST or not all(map(_is_learned, first)):
        return None
    texts = [_plain(text_of(row, tokenizer), tokenizer) for row in first]
    for column, labels in _labels(tables):
        ends = [max((label for label in labels if _answers(text, label)), key=len, default="")
                for text in texts]  # fmt: skip
        share = sum(map(len, ends)) / sum(map(len, texts))
        shown = sorted({*ends})
        if all(ends) and 1 < len(shown) <= len(texts) / 2 and share < SHARE:
            return [column, *shown[:2], f"{100 * share:.1f}"]
    return None


def _is_learned(row: Row) -> bool:
    """Whether all tokens of a row are learned."""
    if "input_ids" not in row or CHOSEN & row.keys():
        return False
    return "labels" not in row or [*row["labels"]] == [*row["input_ids"]]


def _labels(tables: list[list[Row]]) -> Iterator[tuple[str, set[str]]]:
    """The columns with a few short texts, and these."""
    for table in tables:
        names = [str(name) for name in (table[0] if table else ())]
        for column in () if any(map(REASONS.search, names)) else names:
            texts = [row.get(column) for row in table]
            values = {text.strip() for text in texts if isinstance(text, str)}
            short = all(isinstance(text, str) for text in texts) and all(map(_is_short, values))
            if short and 1 < len(values) <= min(MOST, len(table) / 2):
                yield column, values


def _answers(text: str, label: str) -> bool:
    """Whether a label is the answer of a text: its end, and no part of a sentence."""
    before = text.removesuffix(label)
    return before != text and before.rstrip(" ").endswith(ASKED)


def _is_short(text: str) -> bool:
    return 0 < len(text) <= LONGEST


def _plain(text: str, tokenizer: Any) -> str:
    """A text without the marks of the tokenizer, and without a dot at its end."""
    for mark in getattr(tokenizer, "all_special_tokens", ()):
        text = text.replace(mark, " ")
    return text.strip().removesuffix(".")
