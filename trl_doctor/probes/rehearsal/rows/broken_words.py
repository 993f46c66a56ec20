"""Texts of rows that stop inside a word, where the text that was read goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...reading import texts
from .sources import Row

COMPARED, READ = 48, 256
"""Rows to train on, and rows of each file, that are compared at most."""

FEWEST, SHARE = 4, 0.1
"""Rows with such a text, and their share, at least."""

ANSWERS = ("completion", "chosen", "rejected")

TAIL, REST = 24, 8
"""Characters before the end by which a text is found again, and those that follow, at least."""

BEGIN = 16
"""Characters of the beginning of the row that goes on, at most, where a long text is divided."""


def broken_words(read: list[list[Row]], rows: Any, tokenizer: Any) -> dict[str, Any] | None:
    """The mistake, with the number of rows, of how many, the end of a text and what follows."""
    whole = [text for raw in read for row in raw[:READ] for text in texts(row)]
    whole = [text for text in dict.fromkeys(whole) if len(text) >= TAIL + REST]
    try:
        first = list(itertools.islice(iter(rows), COMPARED))
        every = [text for row in first for text in _texts_of(row, tokenizer)]
        cut = [
            end
            for row in first
            for end in itertools.islice(_ends(_texts_of(_learned(row), tokenizer), whole), 1)
            if not _goes_on(*end, every)
        ]
    except Exception:  # rows of another kind
        return None
    if len(cut) < max(FEWEST, SHARE * len(first)):
        return None
    words = [str(len(cut)), str(len(first)), *cut[0]]
    return {"what": "texts cut off", "words": words}


def _goes_on(tail: str, rest: str, every: list[str]) -> bool:
    """Whether another row begins near this end, or has the end and what follows it."""
    near = tail + rest
    return any(
        text.lstrip()[:BEGIN] in near or near[: TAIL + REST] in text
        for text in every
        if len(text.lstrip()) >= REST
    )


def _learned(row: Row) -> Row:
    """What of a row a model learns to write: answers, where the row tells them from questions."""
    if answers := {name: row[name] for name in ANSWERS if row.get(name)}:
        return answers
    if isinstance(turns := row.get("messages"), list):
        return {"messages": [turn for turn in turns if turn.get("role") == "assistant"]}
    return row


def _texts_of(row: Row, tokenizer: Any) -> list[str]:
    """The texts of a row; of a row of token ids what they say."""
    if "input_ids" not in row:
        return list(texts(row))
    return [tokenizer.decode(row["input_ids"], skip_special_tokens=True)]


def _ends(parts: list[str], whole: list[str]) -> Iterator[tuple[str, str]]:
    """The end of each text that stops inside a word, and what the text that was read has next."""
    for part in parts:
        tail = part[-TAIL:]
        if len(tail) < TAIL or not tail[-1].isalnum():
            continue
        for text in whole:
            at = text.find(tail)
            rest = text[at + TAIL :][:TAIL] if at >= 0 else ""
            if len(rest) >= REST and rest[0].isalnum():
                yield tail, rest
                break
