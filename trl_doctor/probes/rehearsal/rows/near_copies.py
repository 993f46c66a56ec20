"""Rows to evaluate on that are rows to train on, but for a few words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any

from .compared import first_rows, one_test
from .intent import says
from .questions import answer, question

FEWEST, SHARE = 3, 0.5
"""Such rows, and their share of the rows to evaluate on, at least."""

USUAL = 0.2
"""The share of the rows from which on a word belongs to what all of them say, not to one."""

WORDS, ALONE, ALIKE = 6, 12, 0.9
"""Other words of a row, at least: with a question, and without; and the share that both have."""

ON_PURPOSE = re.compile(
    r"robust|perturb|adversar|memori[sz]|contaminat|consisten|paraphras", re.IGNORECASE
)
"""What a script says that evaluates on changed rows to train on because it wants to."""


class Row:
    """The words of a row, and what it answers, where it asks something."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.answer, asked = answer(row).strip().lower(), question(row)
        self.asks = bool(asked)
        self.words = frozenset(_words(f"{asked} {self.answer}"))
        self.whole = repr((asked, self.answer))


def near_copies(rows: Any, evaluation: Any) -> list[str]:
    """How many there are, and of how many rows; empty where they are few.

    Two rows with one answer are compared by the words that few rows have: the shorter one has
    hardly another. What is the same in both is another mistake.
    """
    try:
        learned, tried = ([*map(Row, first_rows(one))] for one in (rows, one_test(evaluation)))
    except Exception:  # rows of another kind
        return []
    if len(tried) < FEWEST or says(ON_PURPOSE):
        return []
    rare = _rare([*learned, *tried])
    by_word: dict[str, list[Row]] = defaultdict(list)
    for row in learned:
        for word in row.words & rare:
            by_word[word].append(row)
    same = {row.whole for row in learned}
    copies = [row for row in tried if row.whole not in same and _copied(row, by_word, rare)]
    if len(copies) < max(FEWEST, SHARE * len(tried)):
        return []
    return [str(len(copies)), str(len(tried))]


def _copied(row: Row, by_word: Mapping[str, Sequence[Row]], rare: Set[str]) -> bool:
    """Whether a row to train on has the same words, and the same answer where one is known."""
    fewest = WORDS if row.asks else ALONE
    own = row.words & rare
    counts = Counter(id(other) for word in own for other in by_word.get(word, ()))
    others = {id(other): other for word in own for other in by_word.get(word, ())}
    return any(
        common >= max(fewest, ALIKE * min(len(own), len(others[key].words & rare)))
        for key, common in counts.items()
        if others[key].asks == row.asks and (others[key].answer == row.answer or not row.asks)
    )


def _rare(rows: Sequence[Row]) -> frozenset[str]:
    """The words that few rows have."""
    counts = Counter(word for row in rows for word in row.words)
    most = max(2, USUAL * len(rows))
    return frozenset(word for word, count in counts.items() if count <= most)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
