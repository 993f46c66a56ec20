"""Texts of the run's own conversations that the chat template leaves out."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from trl_doctor.asking.rendering import TemplateFailed
from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.rendered import RenderedRow, rendered_rows

THOUGHTS = r"(?s)<think>.*?</think>|^.*?</think>"
KEYS = ("reasoning_content", "thinking", "reasoning")
"""Keys of a message that hold what was thought before an answer."""

LINES, LONGEST = 64, 200_000
"""Lines of a conversation that are looked for, and characters of one in which they are."""

ANSWERS = "the text of assistant messages"
REASONING = "the reasoning of assistant messages"

MARKS = r"</?think>|\n"


class LostText(Struct, frozen=True):
    """The first text of a kind that is left out, and in how many of the rows that happens."""

    what: str
    row: int
    column: str
    text: str
    rows: int


def lost_texts(facts: Facts) -> list[LostText]:
    """What the template leaves out, each kind once. Raises as `rendered_rows` does."""
    first: dict[str, LostText] = {}
    rows: dict[str, set[int]] = {}
    for row in facts[rendered_rows]:
        if isinstance(row.answer, TemplateFailed):
            continue
        for kind, text in _missing_lines(row, row.answer.text):
            first.setdefault(kind, LostText(kind, row.row, row.column, text, 0))
            rows.setdefault(kind, set()).add(row.row)
    return [
        LostText(lost_text.what, lost_text.row, lost_text.column, lost_text.text, len(rows[kind]))
        for kind, lost_text in first.items()
    ]


def unmarked_answers(facts: Facts) -> LostText | None:
    """The first line of an answer that no `{% generation %}` has, where the template has some."""
    first, rows = None, set[int]()
    for row in facts[rendered_rows]:
        if isinstance(row.answer, TemplateFailed) or row.column == "prompt":
            continue
        text = row.answer.text
        marked = "\n".join(text[start:end] for start, end in row.answer.generation)
        answers = [line for kind, line in _lines(row) if kind == ANSWERS][:LINES]
        if not marked or len(text) >= LONGEST:
            continue
        needed = Counter(answers)
        for line in answers:
            if marked.count(line) < min(needed[line], text.count(line)):
                first = first or LostText("answers", row.row, row.column, line, 0)
                rows.add(row.row)
    return msgspec.structs.replace(first, rows=len(rows)) if first else None


def _missing_lines(row: RenderedRow, rendered: str) -> Iterator[tuple[str, str]]:
    lines = list(itertools.islice(_lines(row), LINES)) if len(rendered) < LONGEST else []
    needed = Counter(line for _, line in lines)
    for kind, line in lines:
        if rendered.count(line) < needed[line]:
            yield kind, line
    for message in row.messages:
        for called in _called(message):
            if called not in rendered:
                yield "tool calls", called
    for tool in row.tools or ():
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str) and name and name not in rendered:
            yield "the tools", name


def shown_lines(message: Mapping[str, Json]) -> list[str]:
    """The lines of a message, without the thoughts of an answer."""
    content = _text(message.get("content"))
    return _split(re.sub(THOUGHTS, "", content) if message.get("role") == "assistant" else content)


def has_thought(message: Mapping[str, Json]) -> bool:
    """Whether a message has the mark of a thought, or a key that holds one."""
    return "think>" in _text(message.get("content")) or any(message.get(key) for key in KEYS)


def _lines(row: RenderedRow) -> Iterator[tuple[str, str]]:
    """The lines of all messages, each with what it is part of."""
    for message in row.messages:
        role, content = str(message.get("role", "")), _text(message.get("content"))
        thoughts = re.findall(THOUGHTS, content) if role == "assistant" else []
        shown = re.sub(THOUGHTS, "", content) if role == "assistant" else content
        yield from ((f"the text of {role} messages", line) for line in _split(shown))
        if row.column != "prompt":
            told = [line for text in thoughts for line in _split(text)]
            yield from ((REASONING, line) for line in told)
            for key in KEYS:
                lines = [line for line in _split(_text(message.get(key))) if line not in told]
                yield from ((f"{REASONING} ({key})", line) for line in lines)
                told += lines


def _text(content: Json) -> str:
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _split(text: str) -> list[str]:
    lines = (line.strip() for line in re.split(MARKS, text))
    return [line for line in lines if line]


def _called(message: Mapping[str, Json]) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function", call) if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str) and name:
            yield name
