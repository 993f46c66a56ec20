"""Messages of the rows that a script has read and that are not in what it trains on."""

from __future__ import annotations

import ast
import collections
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...named_objects import nodes_of
from ..record import Mistake
from ..where import own_files
from .excerpt import excerpt
from .intent import CLOSED_BOOK, says
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

PIECE = 6
"""Letters of a part of a message by which it is found, at least."""

BETWEEN = re.compile(r"\{[^{}\n]*\}|<[^<>\n]*>|\[[^\[\]\n]*\]|&#?\w+;|[.!?:]\s|\n")
DIGITS = re.compile(r"\d+")
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DATE = re.compile(
    rf"\d{{1,4}}([-/.])\d{{1,2}}\1\d{{1,4}}|\d{{1,2}}:\d\d(?::\d\d)?"
    rf"|{MONTH} \d{{1,2}}(?:, \d{{4}})?|\d{{1,2}}\.? {MONTH} \d{{4}}",
    re.IGNORECASE,
)
"""What a message says of the day and the time at which it was written."""


DIFFERENT, ALIKE = 0.8, 0.5
"""The share of messages that differ where each has a task of its own, and the share of one that
is the beginning of another, as of forms that are filled in."""

REPLACES = re.compile(
    r"(?:replac|overrid|overwr|ignor|drop|strip|remov|discard|delet|swap|unif|normali[sz])\w*"
    r"(?:[ _-]+\w+){0,4}[ _-]+(?:system|instruction|persona)"
    r"|(?:system|persona)(?:[ _-]+\w+){0,4}[ _-]+"
    r"(?:replac|overrid|overwr|ignor|dropp|stripp|remov|discard|delet|swapp|unif|normali[sz])",
    re.IGNORECASE,
)
"""What a script says that leaves out the data's own system messages on purpose."""


class Lost(NamedTuple):
    """System messages that no trained row has, and what these have in their place."""

    role: str
    own: list[str]
    instead: set[str]


def lost_turns(read: list[list[Row]], rows: Any, tokenizer: Any) -> Iterator[Mistake]:
    """A mistake for system messages that differ by row and that no trained row has.

    Where the script decides by the name of the role, it may leave them out on purpose: only tasks
    that are replaced by one and the same message are reported then.
    """
    try:
        found = _lost(read, rows, tokenizer)
    except Exception:  # rows of another kind
        return
    if not found or _has_its_own(found) or says(CLOSED_BOOK):
        return
    words = [found.role, excerpt(found.own[0]), str(len(found.own))]
    if not _chooses(found.role):
        yield Mistake("system messages lost", words)
    elif _are_tasks(found.own) and len(found.instead) == 1 and not says(REPLACES):
        one = next(iter(found.instead))
        if one and one not in found.own:
            yield Mistake("system messages replaced", [*words, excerpt(one)])


def _has_its_own(found: Lost) -> bool:
    """Whether each row has a system message of its own all the same, as in another language."""
    own = set(found.own)
    return len(found.instead - {""}) >= max(2, DIFFERENT * len(own))


def _lost(read: list[list[Row]], rows: Any, tokenizer: Any) -> Lost | None:
    """What is lost, with a message of each row that has lost its own."""
    talks = [turns(row) for raw in read for row in raw[:COMPARED]]
    for role in ROLES:
        with_role = [each for each in talks if any(by == role for by, _ in each)]
        every = {text for each in with_role for by, text in each if by == role}
        if len({DATE.sub("", text) for text in every}) < 2:
            continue
        times = collections.Counter(piece for text in every for piece in _pieces(text))
        given = list(itertools.islice(iter(rows), COMPARED))
        trained = [(letters(text_of(row, tokenizer)), _system(row)) for row in given]
        lost, instead = list[str](), set[str]()
        for each in with_role:
            said = [letters(text) for by, text in each if by in SPOKEN]
            own = [text for by, text in each if by == role and len(letters(text)) >= SHORTEST]
            there = [row for row in trained if said and all(part in row[0] for part in said)]
            if not own or not there:
                continue
            pieces = [letters(text) for text in own]
            pieces += [piece for text in own for piece in _pieces(text) if times[piece] == 1]
            if any(piece in whole for piece in pieces for whole, _ in there):
                return None
            lost.append(own[0])
            instead.update(system for _, system in there)
        if len(lost) >= FEWEST:
            return Lost(role, lost, instead)
    return None


def _pieces(text: str) -> set[str]:
    """The letters of its sentences, and of what is between places that a script fills in.

    They show a message that is in a row in part, or in another spelling.
    """
    parts = map(letters, BETWEEN.split(text))
    return {part for part in parts if len(part) >= PIECE}


def _system(row: Row) -> str:
    """The system message with which a row begins; "" if it has none."""
    first = turns(row)[:1]
    return first[0][1] if first and first[0][0] in ROLES else ""


def _are_tasks(own: list[str]) -> bool:
    """Whether nearly each row has a message of its own, and not a form that is filled in."""
    kinds = sorted({DIGITS.sub("", text) for text in own})
    if len(kinds) < max(FEWEST, DIFFERENT * len(own)):
        return False
    alike = [
        one[: int(ALIKE * len(one)) + 1] == other[: int(ALIKE * len(one)) + 1]
        for one, other in zip(kinds, kinds[1:])  # noqa: RUF007
    ]
    return sum(alike) <= len(alike) / 4


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
