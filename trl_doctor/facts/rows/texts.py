"""All texts in the rows of a run: of cells, messages and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows


def texts_in(value: Json) -> Iterator[str]:
    """The texts in a value, also inside lists and dictionaries."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from texts_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_in(part)


def rows_with(facts: Facts, pattern: re.Pattern[str]) -> list[tuple[int, re.Match[str]]]:
    """The rows, from 1 on, in which a text has a pattern, each with the first place.

    Raises as `own_rows` does.
    """
    return [
        (number, match)
        for number, row in enumerate(facts[own_rows], 1)
        if (match := next((m for text in texts_in(row) if (m := pattern.search(text))), None))
    ]
