"""The chat template's renderings of the conversations in the run's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from trl_doctor.asking.rendering import Render, Rendered, TemplateFailed, shared
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.chat_template import passes_aliases, template
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens import tokenizer_facts

STARTS = ("completion", "chosen", "rejected")
"""Columns that continue the conversation of `prompt`."""

OWN_VARIABLES = "chat_template_kwargs"
"""The column with a row's own variables of the template."""

READERS = ("sft", "dpo", "kto", "reward")
"""The trainers that read it, since trl 0.19."""

NAME, KEY, VALUE, SAID = "qzToolWx0", "qzKeyWx1", "qzValueWx2", "qzSaidWx3"
NEEDED = {"the name of the tool": NAME, "its arguments": KEY, "the tool's answer": SAID}
"""Parts of a tool's call that a template has to print."""

REFUSALS = ("raised", "error", "syntax")
"""How the template itself refuses a row, and not the limits of the rendering."""


class RefusedRow(Struct, frozen=True):
    """A row, counted from 1, and the column for which the template raises an exception.

    `error` is the message of the exception, `empty` the first message, counted from 1, that has
    neither content nor calls of tools; 0 if none is so. `parted` is the first whose content is
    a list of parts, and not a text.
    """

    row: int
    column: str
    error: str
    roles: tuple[str, ...]
    empty: int
    parted: int = 0


class RenderedRow(Struct, frozen=True):
    """A conversation of a row, counted from 1, and what is rendered of it.

    `tools` are those of the row, `variables` what its `chat_template_kwargs` give the template.
    """

    row: int
    column: str
    messages: list[Mapping[str, Json]]
    tools: list[Json] | None
    variables: Mapping[str, Json]
    answer: Rendered | TemplateFailed

    @property
    def text(self) -> str:
        """The rendered text; empty if the template refuses the row."""
        return "" if isinstance(self.answer, TemplateFailed) else self.answer.text


def rendered_rows(facts: Facts) -> tuple[RenderedRow, ...]:
    """The conversations of the first rows, each rendered as the trainer does."""
    trainer = known_trainer(facts)
    rows = facts[own_rows]
    if trainer not in READERS:
        rows = [{k: v for k, v in row.items() if k != OWN_VARIABLES} for row in rows]
    conversations = list(_conversations(rows, trainer == "sft"))
    if not conversations:
        raise NotConcerned("the rows are no conversations")
    chat_template = tokenizer_facts(facts)[template]
    shared_by_rows, aliases = chat_template.variables, passes_aliases(facts)
    renders = [Render(messages, {**shared_by_rows, **own}, column == "prompt", tools, aliases)
               for _, column, messages, tools, own in conversations]  # fmt: skip
    answers = shared().render_all(chat_template.text, renders)
    return tuple(
        RenderedRow(*conversation, answer)
        for conversation, answer in zip(conversations, answers, strict=True)
    )


def refused_rows(facts: Facts) -> list[RefusedRow]:
    """The first row of each column for which the template raises an exception."""
    by_column: dict[str, RefusedRow] = {}
    for row in facts[rendered_rows]:
        if isinstance(row.answer, TemplateFailed) and row.answer.kind in REFUSALS:
            roles = tuple(str(message.get("role", "?")) for message in row.messages)
            empty = next((number for number, message in enumerate(row.messages, 1)
                          if not message.get("tool_calls") and message.get("content") is None),
                         0)  # fmt: skip
            parted = next((number for number, message in enumerate(row.messages, 1)
                           if isinstance(message.get("content"), list)), 0)  # fmt: skip
            refused = RefusedRow(row.row, row.column, str(row.answer), roles, empty, parted)
            by_column.setdefault(row.column, refused)
    return list(by_column.values())


def prompts(facts: Facts) -> tuple[tuple[RenderedRow, str], ...]:
    """The rows with an answer, each with what is rendered to generate one after its question."""
    rows = [row for row in facts[rendered_rows] if row.column != "prompt" and len(row.messages) > 1]
    chat_template = tokenizer_facts(facts)[template]
    aliases = passes_aliases(facts)
    renders = [
        Render(row.messages[:-1], {**chat_template.variables, **row.variables}, True, row.tools,
               aliases)
        for row in rows
    ]  # fmt: skip
    answers = shared().render_all(chat_template.text, renders)
    return tuple(
        (row, answer.text)
        for row, answer in zip(rows, answers, strict=True)
        if isinstance(answer, Rendered) and isinstance(row.answer, Rendered)
    )


def opened(facts: Facts) -> tuple[tuple[RenderedRow, str], ...]:
    """The prompts of rows that end with no answer, each with what generation writes behind it."""
    rows = [row for row in facts[rendered_rows]
            if row.column == "prompt" and row.messages[-1].get("role") != "assistant"]  # fmt: skip
    chat_template = tokenizer_facts(facts)[template]
    aliases = passes_aliases(facts)
    renders = [
        Render(row.messages, {**chat_template.variables, **row.variables}, False, row.tools,
               aliases)
        for row in rows
    ]  # fmt: skip
    closed = shared().render_all(chat_template.text, renders)
    return tuple(
        (row, row.text[len(answer.text) :])
        for row, answer in zip(rows, closed, strict=True)
        if isinstance(answer, Rendered) and row.text.startswith(answer.text)
    )


def left_out(facts: Facts) -> str:
    """What the chat template leaves out of tool calls, in words; empty if it prints them."""
    chat_template = tokenizer_facts(facts)[template]
    forms: tuple[Json, ...] = ({KEY: VALUE}, f'{{"{KEY}": "{VALUE}"}}')
    renders = [Render(_called(form), chat_template.variables) for form in forms]
    missing = [_missing(row) for row in shared().render_all(chat_template.text, renders)]
    return missing[0] if all(missing) else ""


def rewrites_calls(facts: Facts) -> bool:
    """Whether the call of a tool is rendered otherwise as soon as the tool's answer follows it."""
    chat_template = tokenizer_facts(facts)[template]
    forms: tuple[Json, ...] = ({}, "{}")
    for form in forms:
        messages = _called(form)
        renders = [
            Render(messages[:2], chat_template.variables),
            Render(messages, chat_template.variables, True),
        ]
        before, after = shared().render_all(chat_template.text, renders)
        if isinstance(before, Rendered) and isinstance(after, Rendered):
            return not after.text.startswith(before.text)
    return False


def _called(arguments: Json) -> list[dict[str, Json]]:
    call: Json = {"type": "function", "function": {"name": NAME, "arguments": arguments}}
    return [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": NAME, "content": SAID},
    ]


def _missing(answer: Rendered | TemplateFailed) -> str:
    if isinstance(answer, TemplateFailed):
        return str(answer)
    return ", ".join(part for part, word in NEEDED.items() if word not in answer.text)


def _conversations(
    rows: list[dict[str, Json]], without_null: bool
) -> Iterator[tuple[int, str, list[Mapping[str, Json]], list[Json] | None, Mapping[str, Json]]]:
    """The conversations of all rows. SFT leaves out the keys of a message that are null."""
    for number, row in enumerate(rows, 1):
        tool_list = _tools(row.get("tools"))
        variables = row.get(OWN_VARIABLES)
        prompt = _messages(row.get("prompt"))
        for column in ("messages", "prompt", *STARTS):
            if messages := _messages(row.get(column)):
                whole = [*(prompt if column in STARTS else []), *messages]
                if without_null:
                    whole = [
                        {k: v for k, v in message.items() if v is not None} for message in whole
                    ]
                yield (
                    number,
                    column,
                    whole,
                    tool_list,
                    (variables if isinstance(variables, dict) else {}),
                )


def _tools(value: Json) -> list[Json] | None:
    """The tools of a row, which newer releases of trl also read from a text of JSON."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return None
    return value if isinstance(value, list) and value else None


def _messages(value: Json) -> list[Mapping[str, Json]]:
    """The messages of a conversation; none where a message has no role, as TRL takes it."""
    messages = value if isinstance(value, list) else []
    turns: list[Mapping[str, Json]] = [
        message for message in messages if isinstance(message, dict) and "role" in message
    ]
    return turns if len(turns) == len(messages) else []
