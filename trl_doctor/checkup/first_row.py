"""The first row as the trainer reads it, in the parts that a report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    if step is None:
        return None
    rehearsal: RehearsalAnswer | None = values.get("rehearsal")
    note = ""
    if step.rows_from == "made":
        note = " (an example: the run's own rows are not here)"
    elif rehearsal and rehearsal.made_up:
        note = " (models or rows are not here and were replaced)"
    return of_segments(step.trainer, step.first_row, note)


def of_segments(trainer: str, segments: Sequence[Segment], note: str = "") -> FirstRow | None:
    """The row that a trainer of this class reads; None if it has no segments."""
    if not segments:
        return None
    tokens = sum(segment.tokens for segment in segments)
    learned = sum(segment.tokens for segment in segments if segment.learned)
    generates = all(segment.name == "prompt" for segment in segments)
    title = (
        f"the first {'prompt' if generates else 'row'}, as {trainer} reads it: {tokens:,} tokens"
    )
    if not generates:
        count = {tokens: "all", 0: "none"}.get(learned, f"{learned:,}")
        title += f", {count} with a loss"
    return FirstRow(title + note, tuple(map(_part, segments)))


def _part(segment: Segment) -> RowPart:
    label = segment.name or ("learns" if segment.learned else "reads")
    return RowPart(label, segment.text, segment.learned)
