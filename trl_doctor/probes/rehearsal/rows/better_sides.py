"""Pairs of answers, and a column of the data that says which of two is better."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .made_pairs import PAIR, said
from .records import beginning, columns, only_values
from .sources import Row

FEWEST, SHARE = 6, 0.8
"""Rows that the data speak about, and the share of them that must say the contrary."""

SAME = 0.25
"""The share of them if the same answer, as `answer_2`, is chosen in each: no row is asked then."""

OTHERS = 0.05
"""Rows in which a column of any name may say the contrary, as `safer_response`, if it agrees."""

CHOICE = re.compile(r"better|best|winner|winning|prefer|chosen|choice|favou?rite", re.IGNORECASE)
"""Names of columns that say which answer is better."""

WORSE = re.compile(r"worse|worst|loser|reject|dis", re.IGNORECASE)

SHOWN = re.compile(r"swap|flip|permut|^(\w+_)?(order|position)s?$", re.IGNORECASE)
"""Names of columns that say which answer a judge has seen first."""

KINDS = (("0", "1"), ("1", "2"), ("a", "b"), ("left", "right"), ("first", "second"))
"""Ends of the names of two answers, and of the words for them, in their order."""

END = re.compile(r"(?:_|^|(?<=[a-z]))([ab012]|left|right|first|second)$", re.IGNORECASE)

Positions = tuple[tuple[str, str], dict[str, int]]
"""The kind of ends that two words have, and which of the two each is."""

Side = tuple[str, str, bool]
"""What the column says, the name of an answer, and whether it says that this one is better."""


class Choices(NamedTuple):
    """What columns that name the better answer say of pairs."""

    agree: bool = False
    """Whether one agrees with the pairs: another one is a model's opinion beside a person's."""

    against: list[str] | None = None
    """A column that does not: its name, its value, the answer that is chosen, and the counts."""


def by_choice(tables: list[list[Row]], rows: list[Mapping[str, Any]]) -> Choices:
    """The pairs beside each such column, unless the data say which answer a judge saw first."""
    found: list[str] | None = None
    for table in tables:
        names = columns(table)
        if any(map(SHOWN.search, names)):
            continue
        for column in names:
            if WORSE.search(column):
                continue
            chosen = _chosen(only_values(_sides(table, column)), rows)
            judged, against = len(chosen), [side for side in chosen if not side[2]]
            if judged < FEWEST:
                continue
            named = CHOICE.search(column) and not _is_vague(table, column)
            if len(against) <= ((1 - SHARE) if named else OTHERS) * judged:
                return Choices(agree=True)
            most = SHARE if len({name for _, name, _ in chosen}) > 1 else SAME
            if named and found is None and len(against) >= most * judged:
                value, name, _ = against[0]
                found = [column, value, name, str(len(against)), str(judged)]
    return Choices(against=found)


def _chosen(sides: Mapping[str, Side], rows: list[Mapping[str, Any]]) -> list[Side]:
    """What a column says of the chosen answer of each pair that it speaks about."""
    pairs = [[sides.get(beginning(said(row.get(name)))) for name in PAIR] for row in rows]
    return [
        better
        for better, worse in pairs
        if better and worse and better[0] == worse[0] and better[2] != worse[2]
    ]


def _sides(table: list[Row], column: str) -> Iterable[tuple[str, Side]]:
    """Each answer, with what the column says of it."""
    values = {str(record.get(column)) for record in table}
    words = None if _is_scale(values) else _positions(values)
    if words is None:
        return
    for answers in _answers(table, column):
        if words[0] != answers[0] and ("0" in answers[0] or (words[0], answers[0]) == KINDS[:2]):
            continue
        for record in table:
            value = str(record.get(column))
            for name, position in answers[1].items():
                if value in words[1] and isinstance(text := record.get(name), str):
                    yield beginning(text), (value, name, words[1][value] == position)


def _answers(table: list[Row], column: str) -> Iterator[Positions]:
    """The two answers of each name that two columns share."""
    bases = dict.fromkeys(END.sub("", name) for name in columns(table) if END.search(name))
    for base in bases:
        names = [name for name in columns(table) if END.sub("", name) == base and name != column]
        if answers := _positions(names):
            yield answers


def _is_vague(table: list[Row], column: str) -> bool:
    """Whether a column has 0 and 1 for answers with other names: 1 may also mean "yes, the first".

    Such a column can only agree.
    """
    words = _positions({str(record.get(column)) for record in table})
    return words is not None and any(
        "0" in words[0] and "0" not in answers[0] for answers in _answers(table, column)
    )


def _is_scale(values: set[str]) -> bool:
    """Whether a column has more numbers than two: how much better an answer is."""
    return sum(bool(re.fullmatch(r"[+-]?\d+(\.\d+)?", value)) for value in values) > 2


def _positions(words: Iterable[str]) -> Positions | None:
    """The kind of ends that words have, and which of two each is; None for another number."""
    ends = {word: end[1].lower() for word in words if (end := END.search(word))}
    for kind in KINDS:
        if {*kind} <= {*ends.values()} and not ("0" in kind and "2" in ends.values()):
            return kind, {word: kind.index(end) for word, end in ends.items() if end in kind}
    return None
