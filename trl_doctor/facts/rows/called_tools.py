"""The tools that the conversations of the run's own rows call."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

from trl_doctor.core.finding import Json
from trl_doctor.facts import dataset
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.followed import MOST
from trl_doctor.facts.rows.own import LARGEST
from trl_doctor.probes.reading import json_rows
from trl_doctor.probes.tool_parts import CALLS, RESULTS, Tool, calls_of, said, talks, tool_columns

READ = "tools"
"""The column of tools that TRL reads."""

TELLS = ("system", "developer")
"""Roles of a message that may list the tools."""


def unread_tools(rows: list[dict[str, Json]]) -> tuple[str, Tool] | None:
    """A column of another name with definitions of tools, which most rows call and are not told.

    With the first tool that is called.
    """
    found = [(column, tool) for row in rows for column, tool in _unread(row)]
    columns = {column for column, _ in found}
    return found[0] if len(columns) == 1 and len(found) > len(rows) / 2 else None


def _unread(row: Mapping[str, Json]) -> Iterator[tuple[str, Tool]]:
    """The column of a row, and the first tool of it that the row calls."""
    defined, spoken = tool_columns(row), list(talks(row))
    called = {name for talk in spoken for one in talk for name in calls_of(one)}
    tools = [(column, tool) for column, defined_ in defined.items() for tool in defined_]
    known = [pair for pair in tools if pair[1].name in called]
    if not row.get(READ) and known and not _is_told(row, known[0][1], defined):
        yield known[0]


def _is_told(row: Mapping[str, Json], tool: Tool, defined: Collection[str]) -> bool:
    """Whether a message describes the tool, or a system message or another text names it."""
    messages = [said(one) for talk in talks(row) for one in talk]
    texts_ = [cell for name, cell in row.items() if isinstance(cell, str) and name not in defined]
    texts_ += [text for role, text in messages if role in TELLS]
    described = bool(tool.description) and any(tool.description in text for _, text in messages)
    return described or any(tool.name in text for text in texts_)


def answered_calls(facts: Facts, column: str) -> tuple[str, int]:
    """The first tool that a conversation of a column calls, and how many have its answer, too.

    Of the one file of rows that the script loads: "" and 0 where that is not known.
    """
    found = [names[0] for row in _loaded(facts) for talk in talks({column: row.get(column)})
             if (names := [name for one in talk for name in calls_of(one)])
             and any(said(one)[0] in RESULTS and said(one)[1] for one in talk)]  # fmt: skip
    return (found[0], len(found)) if found else ("", 0)


def has_calls(facts: Facts) -> bool:
    """Whether messages of that file have calls beside their text."""
    spoken = (one for row in _loaded(facts) for talk in talks(row) for one in talk)
    return any(one.get(key) for one in spoken for key in CALLS)


def _loaded(facts: Facts) -> list[dict[str, Json]]:
    """The first rows of the one file that the script loads; none where that is not known."""
    files = facts.run.script.row_files
    file = dataset.existing_path(facts, files[0].name) if len(files) == 1 else None
    if file is None or not file.is_file():
        return []
    try:
        return list(itertools.islice(json_rows(file, LARGEST), MOST))
    except (OSError, ValueError, RecursionError):
        return []
