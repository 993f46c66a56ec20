"""The result of a rehearsal of the user's own command."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from trl_doctor.core.finding import Finding, Place, Severity, pointer
from trl_doctor.core.question import Question
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.measured.live import live
from trl_doctor.files.target import LIVE

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rehearse import RehearsalAnswer, RehearsalMistake


def rehearsal(facts: Facts) -> RehearsalAnswer:
    """What ended it (`failure`, None for nothing), how far it came, and what was saved.

    Raises `NotConcerned` if the run was not rehearsed.
    """
    if not rehearsed(facts):
        raise NotConcerned("only `trl-doctor rehearse` examines this")
    from trl_doctor.probes.answers.rehearse import RehearsalAnswer

    return facts.probes.ask(Question("rehearsal", "the rehearsal", {}, RehearsalAnswer)).measured()


def rehearsed(facts: Facts) -> bool:
    """Whether the facts are of a run that was rehearsed."""
    try:
        return facts.probes.conditions.level == "rehearsal"
    except Unavailable:
        return False


def watched(facts: Facts) -> bool:
    """Whether the facts are of a run that was rehearsed, or of a live trainer."""
    return rehearsed(facts) or facts.get(live) is not None


SEEN_AT = "seen at"
"""The key of a finding's place that names the user's line."""

NO_TRAINER = "the rehearsal built no trainer"
"""Why nothing is known that comes with a trainer, where a script stopped before it made one."""

BEFORE_TRAINER = ("nothing", "import")
"""How far a rehearsal came that created no trainer."""


def config_made(facts: Facts) -> bool:
    """Whether the objects of a program are examined: its config was made, and refused nothing."""
    if facts.run.target.taken_for == LIVE:
        return True
    return rehearsed(facts) and rehearsal(facts).reached not in BEFORE_TRAINER


FILLED_IN = 60
"""More arguments than somebody writes."""


def filled_in(facts: Facts) -> bool:
    """Whether a parser has added defaults to the arguments of a run that was rehearsed."""
    return rehearsed(facts) and len(facts.run.arguments) >= FILLED_IN


def sampled(facts: Facts) -> bool:
    """Whether the rows may hold texts of the small model: the script generates before it trains."""
    return rehearsed(facts) and bool(rehearsal(facts).mistakes_of("generated"))


def mistake_findings(
    facts: Facts,
    messages: Mapping[str, str],
    *,
    remedy: str = "",
    severity: Severity | None = None,
) -> Iterator[Finding]:
    """A finding for each mistake with a message; `{0}` in it is a word, `{place}` the user's line.

    Raises what `mistakes_seen` raises.
    """
    for mistake in mistakes_seen(facts, messages):
        message = messages[mistake.what].format(*mistake.words, place=mistake.place)
        place = facts.run.place()
        if mistake.place:
            place = Place(place.file, pointer(SEEN_AT, mistake.place))
        yield Finding(place, message, remedy=remedy, severity=severity)


def mistakes_seen(facts: Facts, kinds: Collection[str]) -> list[RehearsalMistake]:
    """The mistakes of these kinds that a rehearsal saw, or that a live trainer shows.

    Raises `Unavailable` if the script created no trainer, and nothing was seen before: what comes
    with the trainer was not examined; the same if the search ended with an error. Raises
    `NotConcerned` if nobody looked for these mistakes.
    """
    if (trainer := facts.get(live)) is not None:
        if error := trainer.error_of(kinds):
            raise Unavailable(f"the search for this in the live trainer failed: {error}")
        if not trainer.looked_for_any(kinds):
            raise NotConcerned("a look at a live trainer does not examine this")
        mistakes = trainer.mistakes
    else:
        answer = rehearsal(facts)
        mistakes = answer.mistakes
        if not mistakes and answer.reached in BEFORE_TRAINER:
            raise Unavailable(NO_TRAINER)
    return [mistake for mistake in mistakes if mistake.what in kinds]
