"""Prompts of trainers that generate, which end with a message of the assistant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.facts.rows.answers import last_role
from trl_doctor.facts.rows.texts import text_of

GOLD = re.compile(
    r"(?!\w*(?:lang|tool|style|format))\w*"
    r"(?:answer|solution|target|gold|label|truth|result|expect|correct|reference|output|final)",
    re.I,
)
"""Names of columns with right answers: a beginning may name a language, or a tool to call."""

FEWEST, HELD, BY_CHANCE = 4, 0.9, 0.5
"""Rows, at least; the share whose last message has their own value, and most that have the next
row's."""


class ToldBefore(Struct, frozen=True):
    """A column whose values the last messages have: in how many rows, and the first of them."""

    column: str
    rows: int
    row: int
    said: str
    value: str


def answers_told_before(
    rows: Sequence[Mapping[str, Json]], columns: Iterable[str]
) -> ToldBefore | None:
    """The first column of right answers with which the prompts end; a fixed beginning has none."""
    last = [_said_last(row.get("prompt")) for row in rows]
    for column in filter(GOLD.match, columns):
        values = [_value(row.get(column)) for row in rows]
        held = [at for at, (text, value) in enumerate(zip(last, values, strict=True))
                if _says(text, value)]  # fmt: skip
        if len(held) < max(FEWEST, HELD * len(rows)):
            continue
        others = [next((value for value in values[at:] + values[:at] if value != values[at]), "")
                  for at in range(len(rows))]  # fmt: skip
        if sum(map(_says, last, others)) <= BY_CHANCE * len(rows) and all(others):
            return ToldBefore(column, len(held), held[0] + 1, last[held[0]], values[held[0]])
    return None


def _said_last(prompt: Json) -> str:
    """The last message of a prompt, if it is the assistant's."""
    if not isinstance(prompt, list) or last_role(prompt) != "assistant":
        return ""
    return text_of(prompt[-1].get("content")) if isinstance(prompt[-1], dict) else ""


def _value(cell: Json) -> str:
    """A right answer as it would be written; "" for what is none."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        return ""
    return f"{cell:g}" if isinstance(cell, float) else str(cell).strip()


def _says(text: str, value: str) -> bool:
    """Whether a text has the value as words or a number of its own."""
    return bool(value) and bool(
        re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", text, re.IGNORECASE)
    )
