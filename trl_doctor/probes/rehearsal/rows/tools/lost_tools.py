"""Tools of the rows that a script has read: their definitions and calls that are not trained on."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ....named_objects import nodes_of
from ....reading import texts
from ....tool_parts import CALLS, KNOWS_CALLS, RESULTS, Tool, calls_of, said, talks, tool_columns
from ...record import Mistake
from ...where import keywords_of, own_files
from ..excerpt import excerpt
from ..intent import says
from ..letters import letters, text_of
from ..sources import Row

COMPARED, FEWEST = 64, 3
"""Rows that are compared at most, and rows that have lost something at least."""

TELLS = ("system", "developer")
"""Roles of a message that may name the tools."""

PIECE = 32
"""Letters of what a tool has answered by which it is found: a script may cut its end."""

TELLING, SHORTEST, DESCRIBED = 8, 4, 12
"""Letters of a question, of what a tool has answered, and of a tool's description, at least."""

USERS = ("user", "human")
PLAIN = re.compile(r"[ -!#-\[\]-~]+")
"""A part of a text that JSON writes as it is."""


class Given(NamedTuple):
    """A row as the trainer gets it: its letters, those without definitions of tools, and itself."""

    whole: str
    spoken: str
    row: Row


def lost_tools(
    read: list[list[Row]], rows: Any, tokenizer: Any, trainer: Any = None
) -> Iterator[Mistake]:
    """Mistakes: calls that are gone and their results are not, and tools that are called only.

    What a trainer makes of its rows may have tools of the script's own, as a function of it does.
    """
    try:
        first = [(row, list(talks(row))) for raw in read for row in raw[:COMPARED]]
        calling = [(row, found) for row, found in first
                   if any(calls_of(one) for talk in found for one in talk)]  # fmt: skip
        if not calling:
            return
        given = _given(rows, tokenizer)
        calls = None if says(KNOWS_CALLS) else _calls(calling, given)
        results = None if _names(RESULTS) else _results(calling, given)
        own = getattr(trainer, "tools", None)
        prepared = _given(getattr(trainer, "train_dataset", None) or (), tokenizer)
        column = None if own else _column(calling, [*given, *prepared])
    except Exception:  # rows of another kind
        return
    if calls:
        yield Mistake("calls lost", calls)
    if results:
        yield Mistake("tool results lost", results)
    if column and not _names(column[:1]) and "tools" not in keywords_of(own_files()):
        yield Mistake("tools left out", column)


def _given(rows: Any, tokenizer: Any) -> list[Given]:
    found: list[Given] = []
    for row in itertools.islice(iter(rows), COMPARED):
        tools = {} if "input_ids" in row else tool_columns(row)
        spoken = {name: cell for name, cell in row.items() if name not in tools}
        described = " ".join(tool.description for defined in tools.values() for tool in defined)
        whole = letters(f"{text_of(row, tokenizer)} {described}")
        found.append(Given(whole, letters(text_of(spoken, tokenizer)), row))
    return found


def _calls(calling: list[tuple[Row, Any]], given: list[Given]) -> list[str] | None:
    """The first tool whose call is lost, and of how many rows; None if any call is left."""
    lost: list[str] = []
    for _, found in calling:
        for talk in found:
            names = [name for one in talk for name in calls_of(one)]
            there = [own for own in given if names and _is_of(talk, own)]
            if not there:
                continue
            said_of = letters("\n".join(said(one)[1] for one in talk if not calls_of(one)))
            if any(_calls_at_all(own.row) for own in there) or any(
                own.spoken.count(letters(name)) > said_of.count(letters(name))
                for own in there for name in names
            ):  # fmt: skip
                return None
            if any(_keeps(talk, own) for own in there):
                lost.append(names[0])
    return [lost[0], str(len(lost))] if len(lost) >= FEWEST else None


def _is_of(talk: list[Mapping[str, Any]], own: Given) -> bool:
    """Whether a row has the questions of a conversation."""
    asked = [letters(text) for role, text in map(said, talk) if role in USERS]
    long = [text for text in asked if len(text) >= TELLING]
    return bool(long) and all(text in own.whole for text in long)


def _keeps(talk: list[Mapping[str, Any]], own: Given) -> bool:
    """Whether a row has what the called tools have answered, or all of the messages."""
    results = [letters(text) for role, text in map(said, talk) if role in RESULTS]
    long = [text for text in results if len(text) >= SHORTEST]
    if long:
        return all(text in own.spoken for text in long) and not _asked_with(talk, long, own)
    return any(len(other) == len(talk) for other in talks(own.row))


def _asked_with(talk: list[Mapping[str, Any]], results: list[str], own: Given) -> bool:
    """Whether a message asks a question together with what a tool has answered, as its context."""
    asked = [letters(text) for role, text in map(said, talk) if role in USERS]
    parts = [letters(said(one)[1]) for other in talks(own.row) for one in other]
    return any(
        question in part and result in part
        for part in parts
        for question in asked
        for result in results
    )


def _calls_at_all(row: Any) -> bool:
    """Whether a part of a row has calls, in whatever form."""
    if isinstance(row, Mapping):
        return any(bool(row.get(key)) for key in CALLS) or any(map(_calls_at_all, row.values()))
    return isinstance(row, (list, tuple)) and any(map(_calls_at_all, row))


def _column(calling: list[tuple[Row, Any]], given: list[Given]) -> list[str] | None:
    """The column with tools, a tool, and how many rows call theirs without their definition.

    None, too, if a row names its tool more often than its messages do: in a text of the script's.
    """
    lost: list[tuple[str, Tool]] = []
    for row, found in calling:
        called = {name for talk in found for one in talk for name in calls_of(one)}
        tools = [(column, tool) for column, defined in tool_columns(row).items()
                 for tool in defined if tool.name in called]  # fmt: skip
        there = [own for own in given if any(_is_of(talk, own) for talk in found)]
        for column, tool in tools[:1] if there else ():
            described = letters(max(PLAIN.findall(tool.description), key=len, default=""))
            if len(described) < DESCRIBED or any(described in own.whole for own in there):
                return None
            name, spoken = letters(tool.name), _spoken(found)
            if any(own.whole.count(name) > spoken.count(name) for own in there):
                return None
            if any(name in own.whole for own in there):
                lost.append((column, tool))
    if len(lost) < FEWEST:
        return None
    column, tool = lost[0]
    return [column, tool.name, str(len(lost))]


def _spoken(found: list[list[Mapping[str, Any]]]) -> str:
    """The letters of all messages but those that may tell of the tools."""
    spoken = [one for talk in found for one in talk if said(one)[0] not in TELLS]
    return letters("\n".join(text for one in spoken for text in texts(one)))


def _results(calling: list[tuple[Row, Any]], given: list[Given]) -> list[str] | None:
    """The first answer of a tool that is lost, and of how many rows; None if any is left.

    Of rows that have the call of the tool and what the assistant says after its answer.
    """
    lost: list[str] = []
    for _, found in calling:
        for talk in found:
            spoken = list(map(said, talk))
            answers = [text for role, text in spoken if role in RESULTS]
            last = letters(spoken[-1][1]) if spoken[-1][0] in ("assistant", "gpt") else ""
            there = [own for own in given if len(last) >= TELLING and last in own.spoken
                     and _calls_at_all(own.row) and _is_of(talk, own)]  # fmt: skip
            long = [key for key in (letters(text)[:PIECE] for text in answers)
                    if len(key) >= TELLING and key not in last]  # fmt: skip
            if not there or not long:
                continue
            if any(key in own.spoken for key in long for own in there):
                return None
            lost.append(answers[0])
    return [excerpt(lost[0]), str(len(lost))] if len(lost) >= FEWEST else None


def _names(words: Collection[str]) -> bool:
    """Whether the user's code names one of these: it reads it in its own way, or takes it away."""
    return any(
        isinstance(node, ast.Constant) and node.value in words
        for file in own_files()
        for node in nodes_of(file)
    )
