"""What a rehearsal ran, generated, changed and blocked, in sentences for a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trl_doctor.rehearsing.answer import ABSENT, INSTEAD, answer, of_first_process
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Events

REACHED = {
    "end": "it finished",
    "step": "it took a step but did not finish",
    "trainer": "it created its trainer but took no step",
    "import": "it did not create its trainer",
    "nothing": "it did not reach a model, data set or trainer",
}

WHOSE = {
    "script": "the script",
    "candidate": "what the trainer was given",
    "installation": "the installed libraries",
    "machine": "something that is missing here",
}

UNBLAMED = ("late", "held up", "no training", "doctor")
"""Kinds of failures of a rehearsal that took too long, whose script trains nothing, or that are the
doctor's own mistake."""


def notes(events: Events, failed: Failure | None) -> Iterator[str]:
    """Sentences for a person, the most important first."""
    sentences = answer(events, failed)
    lost = (
        ""
        if sentences.confined
        else " (no Landlock here: writes of compiled code were not blocked)"
    )
    yield f"rehearsed in {events.answer.seconds:.0f} s: {REACHED[sentences.reached]}{lost}"
    if failed:
        at = f" at {failed.at.long}" if failed.at else ""
        then = f"; {failed.remedy}" if failed.remedy else ""
        cause = "" if failed.kind in UNBLAMED else f", because of {WHOSE[failed.whose]}"
        yield f"stopped{at}{cause}: {failed.message}{then}"
    if sentences.made_up:
        yield _generated(sentences.made_up)
    by_reason: dict[str, list[str]] = {}
    for name, before, used, why in sentences.changed:
        change = "left out" if before == "installed" else f"{before}→{used}"
        by_reason.setdefault(why, []).append(f"{name} {change}")
    cut = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    if small := [*dict.fromkeys(_small(events)), *cut]:
        yield f"made smaller: {'; '.join(small)}"
    blocked = [sentence for sentence in sentences.kept_away if INSTEAD not in sentence]
    if moved := [sentence for sentence in sentences.kept_away if INSTEAD in sentence]:
        places = "; ".join(
            sentence.removeprefix("a write to ").replace(INSTEAD, "") for sentence in moved
        )
        yield f"made in the scratch folder: {places}"
    if blocked:
        yield f"blocked: {'; '.join(blocked)}"


def _generated(made_up: Sequence[str]) -> str:
    """What was made, and once that it is not here, if that is so of all of it."""
    if len(made_up) < 2 or not all(ABSENT in each for each in made_up):
        return f"generated: {'; '.join(made_up)}"
    each = [sentence.replace(ABSENT, "") for sentence in made_up]
    return f"generated, as they are not on this machine: {'; '.join(each)}"


def twice(small: Events, larger: Events, kept: bool) -> str:
    """Why the script ran twice, and which run the report is about: `kept` means the small one."""
    seconds = small.answer.seconds + larger.answer.seconds
    which = "first run, as the second could not be made here" if kept else "second run"
    return (
        f"the script ran twice, {seconds:.0f} s together: the small size of the first run may have "
        "caused what went wrong, and the second run had the script's own batch sizes and more "
        f"rows; this report is about the {which}"
    )


def _small(events: Events) -> Iterator[str]:
    for event in of_first_process(events, "model"):
        if "parameters" in event:
            yield (
                f"{event['name']} is {event['architecture']} with {event['layers']} layers, "
                f"{event['parameters']:,} random parameters, {event['vocabulary']:,} tokens"
            )
