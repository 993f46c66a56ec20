"""Rows of the run into whose answers the chat template writes a thought that they do not have."""

from __future__ import annotations

from trl_doctor.asking.rendering import TemplateFailed
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.lost_texts import has_thought
from trl_doctor.facts.rows.rendered import rendered_rows

MARK = "<think>"


def rows_with_added_thought(facts: Facts) -> list[int]:
    """The numbers of these rows, from 1. Raises as `rendered_rows` does."""
    return [
        row.row
        for row in facts[rendered_rows]
        if row.column != "prompt"
        and not isinstance(row.answer, TemplateFailed)
        and MARK in row.answer.text
        and not any(has_thought(message) for message in row.messages)
    ]
