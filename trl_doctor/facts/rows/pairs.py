"""The question and the answer of each of the run's own rows, as texts."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows

ANSWERS = ("completion", "chosen")


def questions_and_answers(facts: Facts) -> list[tuple[str, str]]:
    """The pairs of the first rows that have both; raises as `own_rows` does."""
    pairs = (_pair(row) for row in facts[own_rows])
    return [(question, answer) for question, answer in pairs if question and answer]


def _pair(row: dict[str, Json]) -> tuple[str, str]:
    messages = row.get("messages")
    if isinstance(messages, list):
        return _last_text(messages, "user"), _last_text(messages, "assistant")
    answer = next((row[name] for name in ANSWERS if row.get(name)), None)
    return _last_text(row.get("prompt"), "user"), _last_text(answer, "assistant")


def _last_text(value: Json, role: str) -> str:
    """A text, or the last message of this role."""
    if isinstance(value, str):
        return value
    for turn in reversed(value if isinstance(value, list) else []):
        if isinstance(turn, dict) and turn.get("role") == role:
            content = turn.get("content")
            return content if isinstance(content, str) else ""
    return ""
