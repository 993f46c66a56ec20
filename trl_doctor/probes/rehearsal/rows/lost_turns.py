"""Messages of the rows that a script has read and that are not in what it trains on."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from ...named_objects import nodes_of
from ..where import own_files
from .letters import letters, text_of
from .sources import Row

COMPARED, FEWEST = 64, 3
"""Rows that are compared at most, and rows that have lost a message at least."""

ROLES = ("system", "developer")
SPOKEN = ("user", "human", "assistant", "gpt")
BY = ("role", "from")
KEYS = (("role", "content"), ("from", "value"))

SHORTEST = 4
"""Letters and digits of a message that is looked for, at least."""


def lost_turns(read: list[list[Row]], rows: Any, tokenizer: Any) -> Iterator[dict[str, Any]]:
    """A mistake for system messages that differ by row and that no trained row has.

    Nothing where the script decides by the name of the role: it may leave them out on purpose.
    """
    try:
        found = _lost(read, rows, tokenizer)
    except Exception:  # rows of another kind
        return
    if found and not _chooses(found[0]):
        role, message, count = found
        yield {"what": "system messages lost", "words": [role, message[:60], str(count)]}


def _lost(read: list[list[Row]], rows: Any, tokenizer: Any) -> tuple[str, str, int] | None:
    """The role, the first message that is lost, and how many rows have lost theirs."""
    talks = [turns(row) for raw in read for row in raw[:COMPARED]]
    for role in ROLES:
        with_role = [each for each in talks if any(by == role for by, _ in each)]
        if len({text for each in with_role for by, text in each if by == role}) < 2:
            continue
        trained = [
            letters(text_of(row, tokenizer)) for row in itertools.islice(iter(rows), COMPARED)
        ]
        lost: list[str] = []
        for each in with_role:
            said = [letters(text) for by, text in each if by in SPOKEN]
            own = [text for by, text in each if by == role and len(letters(text)) >= SHORTEST]
            there = [whole for whole in trained if said and all(part in whole for part in said)]
            if not own or not there:
                continue
            if any(letters(text) in whole for text in own for whole in there):
                return None
            lost.append(own[0])
        if len(lost) >= FEWEST:
            return role, lost[0], len(lost)
    return None


def turns(row: Row) -> list[tuple[str, str]]:
    """The messages of a row with their roles; none where it has no messages."""
    for value in row.values():
        if not isinstance(value, (list, tuple)) or not value:
            continue
        for role, content in KEYS:
            if all(isinstance(one, Mapping) and role in one and content in one for one in value):
                return [(str(one[role]), str(one[content] or "")) for one in value]
    return []


def _chooses(role: str) -> bool:
    """Whether the user's code compares with the name of the role, or lists those that it keeps."""
    return any(
        role in words
        or (isinstance(compare.ops[0], (ast.In, ast.NotIn)) and words & {*SPOKEN, *BY})
        for file in own_files()
        for compare in nodes_of(file)
        if isinstance(compare, ast.Compare)
        for words in [{node.value for node in ast.walk(compare) if isinstance(node, ast.Constant)}]
    )
