"""Patterns in the texts of a run's rows: of cells, messages and lists."""

from __future__ import annotations

import re

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.probes.reading import texts


def text_of(cell: Json) -> str:
    """The texts of a cell, line by line: of messages what they say."""
    return "\n".join(texts({"": cell}))


def rows_with(facts: Facts, pattern: re.Pattern[str]) -> list[tuple[int, re.Match[str]]]:
    """The rows, from 1 on, in which a text has a pattern, each with the first place.

    Raises as `own_rows` does.
    """
    return [
        (number, match)
        for number, row in enumerate(facts[own_rows], 1)
        if (match := next((m for text in texts(row) if (m := pattern.search(text))), None))
    ]
