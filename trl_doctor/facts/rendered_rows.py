"""The chat template's renderings of the conversations in the run's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trl_doctor.asking.rendering import Render, Rendered, TemplateFailed, shared
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.own_rows import own_rows
from trl_doctor.facts.special_tokens import tokenizer_facts

STARTS = ("completion", "chosen", "rejected")
"""Columns that continue the conversation of `prompt`."""


@dataclass(frozen=True)
class RefusedRow:
    """A row, counted from 1, and the column for which the template raises an exception.

    `error` is the message of the exception.
    """

    row: int
    column: str
    error: str
    roles: tuple[str, ...]


def refused_rows(facts: Facts) -> list[RefusedRow]:
    """The first row of each column for which the template raises an exception."""
    conversations = list(_conversations(facts[own_rows]))
    if not conversations:
        raise NotConcerned("the rows are no conversations")
    chat_template = tokenizer_facts(facts)[template]
    renders = [Render(messages, chat_template.variables, column == "prompt", tools)
               for _, column, messages, tools in conversations]  # fmt: skip
    answers = shared().render_all(chat_template.text, renders)
    by_column: dict[str, RefusedRow] = {}
    for (row, column, messages, _), answer in zip(conversations, answers, strict=True):
        if isinstance(answer, TemplateFailed) and answer.kind in ("raised", "error"):
            roles = tuple(str(message.get("role", "?")) for message in messages)
            by_column.setdefault(column, RefusedRow(row, column, str(answer), roles))
    return list(by_column.values())


def render_each(
    facts: Facts, conversations: Sequence[Sequence[Mapping[str, Json]]]
) -> list[Rendered | TemplateFailed]:
    """What the run's own chat template makes of each conversation."""
    chat_template = tokenizer_facts(facts)[template]
    renders = [Render(one, chat_template.variables) for one in conversations]
    return shared().render_all(chat_template.text, renders)


def _conversations(
    rows: list[dict[str, Json]],
) -> Iterator[tuple[int, str, list[Mapping[str, Json]], list[Json] | None]]:
    for number, row in enumerate(rows, 1):
        tools = row.get("tools")
        tool_list = tools if isinstance(tools, list) and tools else None
        prompt = _messages(row.get("prompt"))
        for column in ("messages", "prompt", *STARTS):
            if messages := _messages(row.get(column)):
                before = prompt if column in STARTS else []
                yield number, column, [*before, *messages], tool_list


def _messages(value: Json) -> list[Mapping[str, Json]]:
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        return []
    return [message for message in value if isinstance(message, dict)]
