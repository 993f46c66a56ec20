"""What of the run's rows a template prints as Python, and marks of turns inside their texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking.rendering import Render, Rendered, TemplateFailed, shared
from trl_doctor.core.finding import Json
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.rendered import RenderedRow, rendered_rows
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

PLAIN: list[Mapping[str, Json]] = [
    {"role": "user", "content": "qzAskWx"},
    {"role": "assistant", "content": "qzSaidWx"},
]
"""A conversation whose texts have no mark of their own."""


class Seen(Struct, frozen=True):
    """The first text of a kind, the row and column that it is in, and in how many rows it is."""

    what: str
    row: int
    column: str
    text: str
    rows: int = 0


def printed_python(facts: Facts) -> list[Seen]:
    """Values that the template prints as Python writes them. Raises as `rendered_rows` does."""
    return _first(
        Seen(kind, row.row, row.column, text)
        for row in facts[rendered_rows]
        if not isinstance(row.answer, TemplateFailed)
        for kind, text in _printed(row, row.answer.text)
    )


def marked_texts(facts: Facts) -> list[Seen]:
    """Marks of the template's turns that are in texts of the rows. Raises as `rendered_rows`."""
    rows = facts[rendered_rows]
    view = tokenizer_facts(facts)
    answer = shared().render_all(view[template].text, [Render(PLAIN, view[template].variables)])[0]
    if not isinstance(answer, Rendered):
        return []
    marks = [mark for mark in view[tokenizer].special if mark.strip() and mark in answer.text]
    return _first(
        Seen(mark, row.row, row.column, str(message["content"]))
        for row in rows
        for message in row.messages
        for mark in marks
        if isinstance(message.get("content"), str) and mark in str(message["content"])
    )


def _printed(row: RenderedRow, text: str) -> Iterator[tuple[str, str]]:
    for message in row.messages:
        content = message.get("content")
        if isinstance(content, list) and content and str(content) in text:
            yield "a content that is a list of parts", str(content)
        for arguments in _arguments(message):
            if str(arguments) in text and json.dumps(arguments) != str(arguments):
                yield "the arguments of a tool's call", str(arguments)
    nothing = any("content" in message and message["content"] is None for message in row.messages)
    if nothing and text.count("None") > json.dumps(row.messages).count("None"):
        yield "a content that is null", "None"


def _arguments(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function", call) if isinstance(call, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, dict) and arguments:
            yield arguments


def _first(texts: Iterator[Seen]) -> list[Seen]:
    """The first of each kind, with the number of rows that have it."""
    first: dict[str, Seen] = {}
    rows: dict[str, set[int]] = {}
    for text in texts:
        first.setdefault(text.what, text)
        rows.setdefault(text.what, set()).add(text.row)
    return [replace(text, rows=len(rows[kind])) for kind, text in first.items()]
