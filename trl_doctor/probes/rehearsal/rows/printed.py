"""Prompts into which a script has written a whole row, with the answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from .records import ANSWERS
from .sources import Row

COMPARED, FEWEST, SHARE = 48, 4, 0.9
"""Rows that are looked at, at most; rows with their answer in the prompt, and their share."""

CELL = re.compile(r"""'(\w+)': ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""A cell of a row, as Python writes a dictionary of texts."""

LATER = ("completion", "answer", "solution", "response", "output", "target")
"""Columns that the prompt should not have."""

LONG = 4
"""Characters of an answer that is looked for in the rest of a text, at least."""

SHOWN = 40
"""Characters of an answer that are shown."""


def printed(rows: Any) -> list[str] | None:
    """How many rows, of how many, the column with the answer, and one answer; None for few."""
    first = list(itertools.islice(iter(rows), COMPARED))
    found = [cell for row in first if (cell := _given_away(row))]
    if len(found) < max(FEWEST, SHARE * len(first)):
        return None
    name, answer = found[0]
    return [str(len(found)), str(len(first)), name, answer[:SHOWN]]


def _given_away(row: Row) -> tuple[str, str] | None:
    """The column and the answer that are in a row's prompt, in a dictionary of several cells.

    Several answers there are solved examples.
    """
    for prompt, rest in _parts(row):
        cells = CELL.findall(prompt)
        names = [name for name, _ in cells]
        for name, text in cells if len(cells) > 1 and "{'" in prompt else ():
            answer = _text(text)
            there = answer in rest and (isinstance(rest, list) or len(answer) >= LONG)
            if name.lower() in ANSWERS and answer and there and names.count(name) == 1:
                return name, answer
    return None


def _parts(row: Row) -> Iterator[tuple[str, list[str] | str]]:
    """What a row asks, and what is to be answered."""
    later = [value.strip() for name in LATER if isinstance(value := row.get(name), str)]
    for name in ("prompt", "messages", "conversations"):
        turns = row.get(name)
        if isinstance(turns, list) and turns and isinstance(turns[0], dict):
            texts = [str(turn.get("content", turn.get("value"))).strip() for turn in turns]
            more = row.get("completion") if name == "prompt" else None
            later += [str(turn.get("content")).strip() for turn in more or () if turn]
            yield "\n".join(texts[:1] if len(texts) < 3 else texts[:-1]), [*later, texts[-1]]
    if isinstance(prompt := row.get("prompt"), str):
        yield prompt, later
    if isinstance(text := row.get("text"), str):
        before, _, after = text.rpartition("}")
        yield before, after


def _text(written: str) -> str:
    """A text as Python writes it, without its quotes."""
    return written[1:-1].replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"').strip()
