"""What rehearsals answered, for the examples of the rules that ask about them."""

from typing import Any

from trl_doctor.core.finding import Severity
from trl_doctor.facts.rule import Answers, Bad, Good
from trl_doctor.probes.answers.rehearse import (
    Line,
    RehearsalAnswer,
    RehearsalFailure,
    RehearsalMistake,
    Saved,
    SavedFolder,
    TrainingRows,
)

from .step import FILES, TRL

__all__ = [
    "FILES",
    "TRL",
    "frozen_in_vain",
    "kept",
    "mistake",
    "no_mistake",
    "rehearsed",
    "saved",
]


def rehearsed(
    message: str = "",
    *,
    whose: str = "machine",
    kind: str = "",
    remedy: str = "",
    training_rows: TrainingRows | None = None,
    mistakes: tuple[RehearsalMistake, ...] = (),
) -> Answers:
    """The answer of a rehearsal that ended so; without a message nothing ended it."""
    failure = RehearsalFailure(whose, message, remedy, kind) if message else None
    return {
        "rehearsal": RehearsalAnswer(
            "nothing" if message else "end", failure, training_rows=training_rows, mistakes=mistakes
        )
    }


def saved(**fields: Any) -> Answers:
    """The answer of a rehearsal that came to its end and saved with this result."""
    return {"rehearsal": RehearsalAnswer("end", saved=Saved(**fields))}


def kept(*folders: SavedFolder) -> Answers:
    """The answer of a rehearsal whose script has saved these after it had trained."""
    return {"rehearsal": RehearsalAnswer("end", saved_folders=folders)}


def frozen_in_vain(line: Line, part: str = "") -> Answers:
    """The answer of a rehearsal whose script freezes nothing in this line."""
    return {"rehearsal": RehearsalAnswer("end", frozen_in_vain=line, frozen_part=part)}


def mistake(
    what: str, words: tuple[str, ...], place: str, says: str, severity: Severity | None = None
) -> Bad:
    """A rehearsal in which the script does this to its own run at a line."""
    answers = rehearsed(mistakes=(RehearsalMistake(what, words, place),))
    return Bad(
        FILES, versions=TRL, level="rehearsal", answers=answers, says=says, severity=severity
    )


def no_mistake() -> Good:
    """A rehearsal of a script that does nothing of the kind."""
    return Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed())
