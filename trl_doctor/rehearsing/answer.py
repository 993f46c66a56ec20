"""What happened in a rehearsal, as the probe `rehearsal` answers it to rules and programs."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.plain import shown
from trl_doctor.probes.answers.rehearse import (
    Line,
    RehearsalAnswer,
    RehearsalFailure,
    RehearsalMistake,
    Saved,
    SavedFolder,
    TrainingRows,
)
from trl_doctor.rehearsing import ranks
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events

AWAY = {
    "login": "a login",
    "upload": "an upload",
    "write": "a write to",
    "moved": "a write to",
    "run": "a run of",
    "password": "a question for a password",
}

ABSENT = ", which is not on this machine"
INSTEAD = " (made in the scratch folder)"


def answer(events: Events, failed: Failure | None) -> RehearsalAnswer:
    """What became of a command, or of the part of it that is about one trainer."""
    saving, built = events.last("saved"), events.last("trainer")
    saved = None
    if saving:
        error = "" if saving["loads"] else f"{saving['type']}: {saving['message']}"
        saved = Saved(saving["loads"], error, tuple(saving.get("lacking", ())),
                      tuple(saving.get("differing", ())))  # fmt: skip
    return RehearsalAnswer(
        events.reached,
        _failure(failed) if failed else None,
        saved,
        tuple(dict.fromkeys(_stand_ins(events))),
        tuple(dict.fromkeys(_changes(events))),
        tuple(dict.fromkeys(kept_away(events))),
        all(event["confined"] for event in events.of("started")),
        _given_rows(events, built) if built else None,
        tuple(_kept(events)),
        _line(events, built) if built else None,
        built["frozen_in_vain"][0] if built else "",
        tuple(dict.fromkeys(_mistakes(events))),
    )


def _mistakes(events: Events) -> Iterator[RehearsalMistake]:
    for event in filters_that_keep_nothing(events):
        yield RehearsalMistake(
            "filter keeps nothing", (f"{event['rows']:,}",), _shown_at(events, event)
        )
    built = events.last("trainer")
    for event in events.of("generated"):
        if built and event["time"] < built["time"]:
            yield RehearsalMistake("generated", (), _shown_at(events, event))
    for event in events.of("mistake"):
        yield RehearsalMistake(event["what"], tuple(event["words"]), _shown_at(events, event))
    if built and (moved := ranks.moved_rows(events.of("trainer"))):
        yield RehearsalMistake(
            "rows of processes", (str(moved[0]), str(moved[1])), _shown_at(events, built)
        )


def filters_that_keep_nothing(events: Events) -> Iterator[Event]:
    """What is told of filters that none of the first rows passes, and no generated ones."""
    for event in events.of("changed"):
        if event["name"] == "filter" and event.get("rows"):
            yield event


def _shown_at(events: Events, event: Event) -> str:
    at = events.at(event["at"])
    return at.shown if at else ""


def _given_rows(events: Events, built: Event) -> TrainingRows:
    columns = built["evaluation"]
    has_made_model = any(event["origin"] == "made" for event in events.of("model"))
    chosen = any(event["edit"] == "padding_side" for event in events.of("tokenizer"))
    return TrainingRows(
        built["rows"],
        built["streamed"],
        built["endless"],
        None if columns is None else tuple(columns),
        built["pads_right"] and (chosen or not has_made_model),
        _pair(built["repeated"]),
        _pair(built["idle_steps"]),
        _pair(built["shared_questions"]),
    )


def _kept(events: Events) -> Iterator[SavedFolder]:
    for event in events.of("kept"):
        at = events.at(event["at"])
        if at is not None:
            spot = at.spot()
            yield SavedFolder(event["folder"], event["state"], tuple(event["inner"]), str(at.file),
                       spot.line, spot.column)  # fmt: skip


def _line(events: Events, built: Event) -> Line | None:
    """The line that freezes weights, and none is frozen."""
    at = events.at(built["frozen_in_vain"][1])
    return Line(str(at.file), at.spot().line, at.spot().column) if at else None


def _pair(numbers: list[int] | None) -> tuple[int, int] | None:
    return (numbers[0], numbers[1]) if numbers else None


def _failure(failed: Failure) -> RehearsalFailure:
    file, line = (shown(failed.at.file), failed.at.spot().line) if failed.at else ("", 0)
    return RehearsalFailure(failed.whose, failed.message, failed.remedy, failed.kind, file, line,
                            failed.seen)  # fmt: skip


def of_first_process(events: Events, kind: str) -> list[Event]:
    """The events of a kind that the first process reported."""
    return [event for event in events.of(kind) if event["rank"] == 0]


def _stand_ins(events: Events) -> Iterator[str]:
    for event in of_first_process(events, "model"):
        if event["origin"] in ("made", "stand-in"):
            kind = event.get("architecture", "model")
            article = "an" if kind[0] in "AEIOU" else "a"
            yield f"the model {event['name']}, {article} {kind}{_origin(event)}"
    for event in of_first_process(events, "hub adapter"):
        yield f"the adapter {event['name']}, a new LoRA of rank {event['size']}{_origin(event)}"
    for event in of_first_process(events, "data"):
        if event["origin"] in ("made", "stand-in"):
            columns = ", ".join(event["columns"] or ())
            yield f"the data set {event['name']}{_origin(event)}" + (
                f", with columns {columns}" if columns else ""
            )


def _origin(event: Event) -> str:
    return " from --stand-in" if event["origin"] == "stand-in" else ABSENT


def _changes(events: Events) -> Iterator[tuple[str, str, str, str]]:
    for event in of_first_process(events, "changed"):
        if event["given"] == [] and event["used"] == "none":
            continue  # nothing, by another word
        yield str(event["name"]), _value(event["given"]), _value(event["used"]), str(event["why"])


def kept_away(events: Events) -> Iterator[str]:
    for event in events.of("kept away"):
        at = events.at(event["at"])
        where = f" at {at.long}" if at else ""
        instead = INSTEAD if event["what"] == "moved" else ""
        sentence = f"{AWAY.get(event['what'], event['what'])} {_name_of(events, event)}".rstrip()
        yield sentence + instead + where


def _name_of(events: Events, event: Event) -> str:
    """What was written or uploaded; the name of a function that logs in is left out."""
    if event["what"] in ("login", "password"):
        return ""
    if event["what"] == "run" or not event["name"]:
        return str(event["name"] or "")
    return str(events.original(event["name"]))


def _value(value: object) -> str:
    kind = value.get("type", value) if isinstance(value, dict) else value
    text = "none" if kind is None else str(kind)
    end = text[-30:]
    return f"…{end[max(0, end.find('/')) :]}" if len(text) > 40 else text
