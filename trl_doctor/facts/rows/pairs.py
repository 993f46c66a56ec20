"""The question and the answer of each of the run's own rows, as texts."""

from __future__ import annotations

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.probes.contradictions import question_and_answer


def questions_and_answers(facts: Facts) -> list[tuple[str, str]]:
    """The pairs of the first rows that have both; raises as `own_rows` does."""
    pairs = (question_and_answer(row) for row in facts[own_rows])
    return [(question, answer) for question, answer in pairs if question and answer]
