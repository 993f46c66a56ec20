"""Errors of a rehearsal that say nothing about the job."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.core.plain import excerpt
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.judges import line
from trl_doctor.rehearsing.events import Event, Events

ERROR = re.compile(r"[A-Za-z_.]*(Error|Exception)\b")

READS = ("KeyError", "ValueError", "TypeError", "IndexError", "AttributeError")
"""What reading rows with other columns raises."""


def of_doctor(event: Event, at: CodeLine | None) -> Failure | None:
    """An error of the doctor's own code, which watched the script at this line."""
    if not (where := event.get("mistake_of_doctor")):
        return None
    message = f"trl-doctor itself failed, at {where}: {line(event)}"
    return Failure("machine", message, "this says nothing about the script: please report it", at,
                   "doctor")  # fmt: skip


def of_beginning(printed: Sequence[str]) -> Failure:
    """An error of the doctor's own code before the first line of the script."""
    errors = (text for text in reversed(printed) if ERROR.match(text))
    said = next(errors, "an error that it did not print")
    message = f"trl-doctor itself failed before the script began: {excerpt(said, 300)}"
    return Failure("machine", message, "this says nothing about the script: please report it", None,
                   "doctor")  # fmt: skip


def of_none(events: Events, at: CodeLine | None) -> Failure | None:
    """The script has loaded None at the line where it failed."""
    if at is None or not any(events.at(event["at"]) == at for event in events.of("nameless")):
        return None
    return Failure("machine", "the script loads a model or tokenizer of the name None",
                   "add the argument that names it", at, "nameless")  # fmt: skip


def of_replaced(name: str, event: Event, at: CodeLine | None) -> Failure:
    """An error on a way that the job does not take."""
    other = "vLLM" if name == "use_vllm" else f"a GPU ({name})"
    message = f"TRL fails without {other}, which a rehearsal does not have: {line(event)}"
    remedy = f"the job has {name} and does not come here: `trl-doctor check` examines the rest"
    return Failure("machine", message, remedy, at, "replaced")


def of_generated(
    names: tuple[str, ...], events: Events, event: Event, at: CodeLine | None
) -> Failure:
    """An error that what was generated may have caused."""
    rows = [event["name"] for event in events.of("data")]
    name = next((row for row in names if row in rows), names[0])
    columns = "its columns with --columns, or " if name in rows and event["type"] in READS else ""
    message = f"it failed with generated data for {', '.join(names)}: {line(event)}"
    remedy = f"name {columns}a copy with --stand-in {name}=FOLDER"
    return Failure("machine", message, remedy, at, "made up")


def of_short_log(event: Event, at: CodeLine | None) -> Failure:
    """An error that a log of few steps may have caused."""
    message = f"it failed behind a training of few steps, whose log it reads: {line(event)}"
    return Failure("machine", message, "make sure that the job's log has these entries", at,
                   "shortened")  # fmt: skip


def of_own_check(why: str, said: str, at: CodeLine | None) -> Failure:
    """A check of the script's own that fewer rows or steps may have failed."""
    message = f"a check of the script failed, and a rehearsal has {why} than the job: {said}"
    return Failure("machine", message, "make sure that the job passes this check", at, "shortened")
