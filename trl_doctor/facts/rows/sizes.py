"""How many tokens the run's own rows have, at least and at most, without a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows

ANSWERS = ("completion", "chosen", "rejected")
REFERENCES = (
    "answer", "answers", "solution", "solutions", "completion", "response", "output", "target",
    "reference", "ground_truth", "gold", "gold_answer", "reference_answer",
)  # fmt: skip
"""Columns with right answers that rewards compare with."""

TEMPLATE = 64
"""Bytes that a template adds to a conversation beside its texts; a guess."""


class RowSize(Struct, frozen=True):
    """The fewest tokens of a row's parts (each word is one) and the most (each byte is one).

    `longest` are the fewest of its longest answer, `shortest` the most of its shortest one;
    `whole` the fewest of the prompt and the longest.
    """

    prompt_most: int
    most: int
    whole: int
    longest: int
    shortest: int


def row_sizes(facts: Facts) -> list[RowSize]:
    """The sizes of the first rows; raises as `own_rows`, and where they have no answers."""
    rows = facts[own_rows]
    if not any(name in row for row in rows for name in ANSWERS):
        raise NotConcerned("the rows have no column of answers")
    return [_size(row) for row in rows]


def fewest_tokens(row: Mapping[str, Json]) -> int:
    """The words of the prompt and its longest answer; without a prompt, of the longest column."""
    if "prompt" not in row:
        return max((words_of(value) for value in row.values()), default=0)
    return words_of(row["prompt"]) + max((words_of(row.get(name)) for name in ANSWERS), default=0)


def _size(row: Mapping[str, Json]) -> RowSize:
    prompt = text_of(row.get("prompt"))
    answers = [text_of(row[name]) for name in ANSWERS if name in row] or [""]
    more = TEMPLATE * sum(isinstance(value, list) for value in row.values())
    prompt_most = len(prompt.encode()) + more
    return RowSize(
        prompt_most,
        prompt_most + max(len(answer.encode()) for answer in answers) + more,
        fewest_tokens({"prompt": prompt, **row}),
        max(len(answer.split()) for answer in answers),
        min(len(answer.encode()) for answer in answers),
    )


def words_of(value: Json) -> int:
    """The words of a text, or of the texts of messages; 0 for any other cell."""
    return len(text_of(value).split())


def text_of(value: Json) -> str:
    """A text, or the texts of messages; empty for any other cell."""
    if isinstance(value, list):
        contents = [message.get("content") for message in value if isinstance(message, dict)]
        return " ".join(content for content in contents if isinstance(content, str))
    return value if isinstance(value, str) else ""
