"""Rows in which neither answer is better, and that a script's `map` gives to one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..record import Mistake
from .made_pairs import PAIR
from .row_code import RowCode, row_code
from .row_mistakes import cells, mistake_at

TIE = re.compile(r"\b(tie|tied|draw|both|neither|equal|same|unsure|none)\b", re.IGNORECASE)
FEWEST = 3
"""The ties that are reported, at least."""


def ties(function: Any, data: Any, removed: Collection[str]) -> Iterator[Mistake]:
    """`row["winner"] == "a"`, where an else makes a pair of the rows without a winner."""
    code = row_code(function)
    if code is None:
        return
    texts = [node.value for node in ast.walk(code.node)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    if not set(PAIR).issubset(texts) or any(map(TIE.search, texts)):
        return
    asked: dict[str, list[tuple[ast.Compare, str]]] = {}
    for node, column, word in _asked(code):
        asked.setdefault(column, []).append((node, word))
    for column, questions in asked.items():
        values = cells(data, column)
        words = {word for _, word in questions}
        tied = [value for value in values if isinstance(value, str) and TIE.search(value)]
        if column not in removed or len(words) != 1 or len(tied) < FEWEST:
            continue
        ((node, word),) = questions[:1]
        if len({*values} - {*tied}) == 2 and word in values:
            yield mistake_at("tie as win", code, node, column, word, tied[0], str(len(tied)),
                       str(len(values)))  # fmt: skip


def _asked(code: RowCode) -> Iterator[tuple[ast.Compare, str, str]]:
    """Each comparison of a column with one text: the column, and the text."""
    for node in ast.walk(code.node):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            continue
        for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            word = code.known(other)
            if (column := code.column(side)) and isinstance(word, str):
                yield node, column, word
