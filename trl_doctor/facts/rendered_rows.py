"""What the chat template makes of the conversations in the run's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trl_doctor.asking.rendering import Render, TemplateFailed, shared
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.own_rows import own_rows
from trl_doctor.facts.special_tokens import trained

STARTS = ("completion", "chosen", "rejected")
"""Columns that go on with what `prompt` begins."""


@dataclass(frozen=True)
class Refused:
    """A row, counted from 1, whose column the template refuses, the words of the template."""

    row: int
    column: str
    said: str
    roles: tuple[str, ...]


def refused(facts: Facts) -> list[Refused]:
    """The first row of each column that the template raises an exception for."""
    asked = list(_conversations(facts[own_rows]))
    if not asked:
        raise NotConcerned("the rows are no conversations")
    known = trained(facts)[template]
    renders = [Render(one, known.variables, column == "prompt", tools)
               for _, column, one, tools in asked]  # fmt: skip
    answers = shared().render_all(known.text, renders)
    found: dict[str, Refused] = {}
    for (row, column, messages, _), answer in zip(asked, answers, strict=True):
        if isinstance(answer, TemplateFailed) and answer.kind in ("raised", "error"):
            roles = tuple(str(one.get("role", "?")) for one in messages)
            found.setdefault(column, Refused(row, column, str(answer), roles))
    return list(found.values())


def _conversations(
    rows: list[dict[str, Json]],
) -> Iterator[tuple[int, str, list[Mapping[str, Json]], list[Json] | None]]:
    for number, row in enumerate(rows, 1):
        tools = row.get("tools")
        given = tools if isinstance(tools, list) and tools else None
        prompt = _messages(row.get("prompt"))
        for column in ("messages", "prompt", *STARTS):
            if messages := _messages(row.get(column)):
                before = prompt if column in STARTS else []
                yield number, column, [*before, *messages], given


def _messages(value: Json) -> list[Mapping[str, Json]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return []
    return [one for one in value if isinstance(one, dict)]
