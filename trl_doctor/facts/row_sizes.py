"""How many tokens the run's own rows have, at least and at most, without a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.own_rows import own_rows

ANSWERS = ("completion", "chosen", "rejected")

TEMPLATE = 64
"""Bytes that a template adds to a conversation beside its texts; a guess."""


class RowSize(Struct, frozen=True):
    """The fewest tokens of a row's parts (each word is one) and the most (each byte is one).

    `longest` are the fewest of its longest answer, `shortest` the most of its shortest one;
    `whole` the fewest of the prompt and the longest.
    """

    prompt_most: int
    most: int
    whole: int
    longest: int
    shortest: int


def row_sizes(facts: Facts) -> list[RowSize]:
    """The sizes of the first rows; raises as `own_rows`, and where they have no answers."""
    rows = facts[own_rows]
    if not any(name in row for row in rows for name in ANSWERS):
        raise NotConcerned("the rows have no column of answers")
    return [_size(row) for row in rows]


def _size(row: Mapping[str, Json]) -> RowSize:
    prompt = _text(row.get("prompt"))
    answers = [_text(row[name]) for name in ANSWERS if name in row] or [""]
    more = TEMPLATE * sum(isinstance(value, list) for value in row.values())
    words = [len(answer.split()) for answer in answers]
    prompt_most = len(prompt.encode()) + more
    return RowSize(
        prompt_most,
        prompt_most + max(len(answer.encode()) for answer in answers) + more,
        len(prompt.split()) + max(words),
        max(words),
        min(len(answer.encode()) for answer in answers),
    )


def _text(value: Json) -> str:
    if isinstance(value, list):
        said = [one.get("content") for one in value if isinstance(one, dict)]
        return " ".join(text for text in said if isinstance(text, str))
    return value if isinstance(value, str) else ""
