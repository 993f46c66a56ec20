"""Texts into which a script has written a message as Python prints it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...reading import texts
from .sources import Row

COMPARED, FEWEST, SHARE = 48, 3, 0.9
"""Rows that are looked at, at most; rows that have such a text, and their share."""

TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
ROLE, CONTENT = rf"'(?:role|from)': {TEXT}", r"'(?:content|value)'"
MESSAGE = re.compile(
    rf"\{{{ROLE}, {CONTENT}: |\{{{CONTENT}: {TEXT}, {ROLE}"
    rf"|\{{'type': 'text', 'text': {TEXT}|\{{'text': {TEXT}, 'type': 'text'"
)
"""The beginning of a message, or of a part of one, as Python prints a dictionary."""

TOKENS = ("input_ids", "prompt_input_ids", "prompt_ids")
"""Columns of tokens in which a question is."""

SHOWN = 60
"""Characters of a message that are shown."""


def printed_messages(
    read: Iterable[Iterable[Row]], rows: Any, prepared: Any, tokenizer: Any
) -> list[str] | None:
    """How many rows, of how many, and one of the messages; None if the data have them already."""
    if any(MESSAGE.search(text) for table in read for row in table for text in texts(row)):
        return None
    for each in (rows, prepared):
        first = list(itertools.islice(iter(each), COMPARED))
        found = [shown for row in first if (shown := _shown(row, tokenizer))]
        if first and len(found) >= max(FEWEST, SHARE * len(first)):
            return [str(len(found)), str(len(first)), found[0]]
    return None


def _shown(row: Row, tokenizer: Any) -> str:
    """The beginning of the first message that is printed in a row; "" for none."""
    for text in _texts(row, tokenizer):
        if match := MESSAGE.search(text):
            return text[match.start() :][:SHOWN]
    return ""


def _texts(row: Row, tokenizer: Any) -> Iterator[str]:
    """All texts of a row, those of its tokens, and messages that are the content of another."""
    yield from texts(row)
    for name in TOKENS:
        if row.get(name):
            yield str(tokenizer.decode(row[name], skip_special_tokens=False))
    for value in row.values():
        for turn in value if isinstance(value, list) else ():
            content = turn.get("content") if isinstance(turn, Mapping) else None
            if isinstance(content, Mapping):
                yield str(dict(content))
