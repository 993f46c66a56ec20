"""What a rehearsal ran, generated, changed and blocked, in sentences for a report."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.plain import shown
from trl_doctor.probes.answers.rehearse import RehearsalAnswer, RehearsalFailure, Saved
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.failure import Failure

REACHED = {
    "end": "it finished",
    "step": "it took a step but did not finish",
    "trainer": "it created its trainer but took no step",
    "import": "it did not create its trainer",
    "nothing": "it did not reach a model, data set or trainer",
}
WHOSE = {
    "script": "the script",
    "candidate": "the run",
    "installation": "the installed libraries",
    "machine": "something that is missing here",
}
WAITED = ("late", "held up")
"""Kinds of failures of a rehearsal that only took too long."""


def answer(events: Events, failed: Failure | None) -> RehearsalAnswer:
    """The same for rules and programs."""
    told = events.last("saved")
    saved = None
    if told:
        error = "" if told["loads"] else f"{told['type']}: {told['message']}"
        saved = Saved(told["loads"], error, tuple(told.get("lacking", ())),
                      tuple(told.get("differing", ())))  # fmt: skip
    return RehearsalAnswer(
        events.reached,
        _failure(failed) if failed else None,
        saved,
        tuple(dict.fromkeys(_made(events))),
        tuple(dict.fromkeys(_changes(events))),
        tuple(dict.fromkeys(_away(events))),
        all(one["confined"] for one in events.of("started")),
        (events.last("trainer") or {}).get("rows"),
    )


def notes(events: Events, failed: Failure | None) -> Iterator[str]:
    """Sentences for a person, the most important first."""
    found = answer(events, failed)
    held = "" if found.confined else " (no Landlock here: writes of compiled code were not blocked)"
    yield f"rehearsed in {events.answer.seconds:.0f} s: {REACHED[found.reached]}{held}"
    if failed:
        at = f" at {failed.at.long}" if failed.at else ""
        then = f"; {failed.remedy}" if failed.remedy else ""
        by = "" if failed.kind in WAITED else f" by {WHOSE[failed.whose]}"
        yield f"stopped{by}{at}: {failed.message}{then}"
    if found.made_up:
        yield f"generated: {'; '.join(found.made_up)}"
    by_reason: dict[str, list[str]] = {}
    for name, given, used, why in found.changed:
        by_reason.setdefault(why, []).append(f"{name} {given}→{used}")
    cut = [f"{', '.join(named)} ({why})" for why, named in by_reason.items()]
    if small := [*dict.fromkeys(_small(events)), *cut]:
        yield f"made smaller: {'; '.join(small)}"
    if found.kept_away:
        yield f"blocked: {'; '.join(found.kept_away)}"


def _failure(failed: Failure) -> RehearsalFailure:
    file, line = (shown(failed.at.file), failed.at.spot().line) if failed.at else ("", 0)
    return RehearsalFailure(failed.whose, failed.message, failed.remedy, failed.kind, file, line)


def _first(events: Events, kind: str) -> list[Event]:
    """The events of a kind that the first process told."""
    return [one for one in events.of(kind) if one["rank"] == 0]


def _made(events: Events) -> Iterator[str]:
    for one in _first(events, "model"):
        if one["origin"] in ("made", "stand-in"):
            yield f"the model {one['name']}, a {one.get('architecture', 'model')}{_stands(one)}"
    for one in _first(events, "data"):
        if one["origin"] in ("made", "stand-in"):
            columns = ", ".join(one["columns"] or ())
            yield f"the data set {one['name']}{_stands(one)}" + (
                f" with columns {columns}" if columns else ""
            )


def _stands(event: Event) -> str:
    return " from --stand-in" if event["origin"] == "stand-in" else ", which is not on this machine"


def _small(events: Events) -> Iterator[str]:
    for one in _first(events, "model"):
        if "parameters" in one:
            yield (
                f"{one['name']} is {one['architecture']} with {one['layers']} layers, "
                f"{one['parameters']:,} random parameters, {one['vocabulary']:,} rows"
            )


def _changes(events: Events) -> Iterator[tuple[str, str, str, str]]:
    for one in _first(events, "changed"):
        yield str(one["name"]), _value(one["given"]), _value(one["used"]), str(one["why"])


def _away(events: Events) -> Iterator[str]:
    for one in events.of("kept away"):
        at = events.at(one["at"])
        yield f"{one['what']} {events.original(one['name'])}" + (f" at {at.long}" if at else "")


def _value(value: object) -> str:
    said = value.get("type") if isinstance(value, dict) else value
    text = "none" if said is None else str(said)
    return "…" + text[-20:] if len(text) > 40 else text
