"""How a script was read: with the rows that it makes and the rewards that were called, if any."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rows.own import are_run, file_name, made, own_rows
from trl_doctor.facts.rows.run_part import run_part
from trl_doctor.facts.script.rewards import REWARDS_UNKNOWN
from trl_doctor.facts.script.values import ROWS_UNKNOWN


def notes(checkup: Checkup) -> Iterator[str]:
    """The notes on how the target was read, with the rows that a script makes, if they are."""
    facts = checkup.facts
    tried = ", ".join(_rewards_tried(checkup))
    for note in checkup.run.notes:
        if note.startswith(ROWS_UNKNOWN):
            yield _of_rows(facts, note)
        elif tried and note.startswith(REWARDS_UNKNOWN):
            yield f"its reward functions were called without the rest of it: {tried}"
        else:
            yield note


def _of_rows(facts: Facts, note: str) -> str:
    """How many rows of a script are known, and how; else why none is."""
    source = facts.get(made)
    rows = facts.get(own_rows) if source is not None else None
    if source is not None and rows:
        ran = ", after its own lines that make them were run" if source.ran else ""
        return f"its first {len(rows)} rows are known{ran or ': ' + file_name(facts)}"
    if not are_run(facts):
        return note
    try:
        _ = facts.probes.conditions
    except Unavailable:
        return note
    try:
        facts[run_part].measured()
    except Unavailable as reason:
        return f"{note}, and its lines that make the rows cannot be run alone: {reason}"
    return note


def _rewards_tried(checkup: Checkup) -> list[str]:
    """The names of a script's reward functions that a probe has called."""
    asked = any(answer.question.probe == "rewards" for answer in checkup.answers)
    return [reward.name for reward in checkup.facts[rewards].functions] if asked else []
