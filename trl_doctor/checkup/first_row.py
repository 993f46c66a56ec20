"""The first row as the trainer reads it, in the parts that a report shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from trl_doctor.core.question import Answer

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rehearse import RehearsalAnswer
    from trl_doctor.probes.answers.segment import Segment
    from trl_doctor.probes.answers.step import StepAnswer


class RowPart(Struct, frozen=True):
    """A part of a row: its label, its text, and whether the loss is of it."""

    label: str
    text: str
    learned: bool


class FirstRow(Struct, frozen=True):
    """The first row as the trainer reads it."""

    title: str
    parts: tuple[RowPart, ...]


def first_row(answers: Iterable[Answer[Any]]) -> FirstRow | None:
    """The first row of the step among the answers; None if no step has seen one."""
    values = {answer.question.probe: answer.value for answer in answers}
    step: StepAnswer | None = values.get("step")
    if step is None or not step.first_row:
        return None
    return FirstRow(_title(step, values.get("rehearsal")), tuple(map(_part, step.first_row)))


def _title(step: StepAnswer, rehearsal: RehearsalAnswer | None) -> str:
    tokens = sum(segment.tokens for segment in step.first_row)
    learned = sum(segment.tokens for segment in step.first_row if segment.learned)
    what = "the first row" if learned or step.labels else "the first prompt"
    title = f"{what}, as {step.trainer} reads it: {tokens:,} tokens"
    if step.labels and learned < tokens:
        title += f", {learned:,} with a loss" if learned else ", none with a loss"
    if step.rows_from == "made":
        title += " (an example: the run's own rows are not here)"
    elif rehearsal and rehearsal.made_up:
        title += " (models or rows are not here and were replaced)"
    return title


def _part(segment: Segment) -> RowPart:
    label = segment.name or ("learns" if segment.learned else "reads")
    return RowPart(label, segment.text, segment.learned)
