"""How a script was read: with the rows that it makes and the rewards that were called, if any."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rows.mapped import made
from trl_doctor.facts.rows.own import file_name, own_rows
from trl_doctor.facts.script.rewards import REWARDS_UNKNOWN
from trl_doctor.facts.script.values import ROWS_UNKNOWN


def notes(checkup: Checkup) -> Iterator[str]:
    """The notes on how the target was read, with the rows that a script makes, if they are."""
    facts = checkup.facts
    made_rows = facts.get(own_rows) if facts.get(made) is not None else None
    tried = ", ".join(_rewards_tried(checkup))
    for note in checkup.run.notes:
        if made_rows and note.startswith(ROWS_UNKNOWN):
            yield f"its first {len(made_rows)} rows are known: {file_name(facts)}"
        elif tried and note.startswith(REWARDS_UNKNOWN):
            yield f"its reward functions were called without the rest of it: {tried}"
        else:
            yield note


def _rewards_tried(checkup: Checkup) -> list[str]:
    """The names of a script's reward functions that a probe has called."""
    asked = any(answer.question.probe == "rewards" for answer in checkup.answers)
    return [reward.name for reward in checkup.facts[rewards].functions] if asked else []
