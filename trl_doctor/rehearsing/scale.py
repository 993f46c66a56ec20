"""How small a rehearsal is, and which errors may be true of the small scale only."""

from __future__ import annotations

from collections.abc import Mapping, Set

from msgspec import Struct, field

from trl_doctor.probes.layout.argument_tables import SMALL
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.ending.own_checks import checked_by_luck
from trl_doctor.rehearsing.events import Event, Events

STEPS, ROWS, MORE_ROWS = 2, 64, 1024
"""Training steps, rows of each data set, and rows where the first ones may not be enough."""

OF_LIBRARIES = frozenset({"NameError", "ImportError", "ModuleNotFoundError", "SyntaxError",
                          "IndentationError", "TabError", "UnboundLocalError"})  # fmt: skip
"""Errors that are the same with any number of rows or steps."""

SIZED = ("batch-size-fixed-in-loss",)
"""Rules that know more of a run at its own sizes: what is a warning may be an error, or nothing."""

MEASURED = ("step-", "reward-raises", "evaluation-raises", *SIZED)
"""How the names of rules begin that ask about what the steps did."""


class Scale(Struct, frozen=True):
    """How small a rehearsal is, and what replaces what is not here.

    `fetched` are folders with the small files of models of the Hub, by their names: it is filled as
    they are asked for. `turn` counts the rehearsals of one command: from the second on they are
    quick. None if there is only one. `rows` are read of each data set. A `wide` one keeps the sizes
    of the run's batches, groups and completions, as far as they are moderate.
    """

    processes: int | None = None
    columns: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    fetched: dict[str, str] = field(default_factory=dict)
    turn: int | None = None
    rows: int = ROWS
    wide: bool = False


def may_be_of_scale(events: Events, failure: Failure | None, errors: Set[str]) -> bool:
    """Whether the small scale may have caused what ended a rehearsal, or one of its errors.

    It may also hide an error: of a reward function that fails in larger calls, or of a check.
    """
    if failure is not None and failure.kind == "shortened":
        return True
    if ended_by_machine(failure):
        return False
    if events.of("larger fails") or checked_by_luck(events):
        return True
    if not (errors or failure):
        return False
    event = events.failure
    if event and (event["stage"] == "config" or event["type"] in OF_LIBRARIES or _refused(event)):
        return False
    if events.of("short"):
        return True
    small = any(event["why"] == SMALL for event in events.of("changed"))
    return small and (bool(failure) or any(name.startswith(MEASURED) for name in errors))


def says_less(again: Failure | None, before: Failure | None) -> bool:
    """Whether a second rehearsal lacked something here that the first one did not lack.

    One that ended at a check of the script's own says that the first one's error is not known.
    """
    checked = again is not None and again.kind == "shortened"
    return ended_by_machine(again) and not checked and not ended_by_machine(before)


def ended_by_machine(failure: Failure | None) -> bool:
    """Whether a rehearsal could not go on here, which says nothing about the run."""
    return failure is not None and failure.whose in ("machine", "installation")


def _refused(event: Event) -> bool:
    """Whether a library's function was called with an argument that it does not take."""
    return event["type"] == "TypeError" and "refused" in (event.get("facts") or {})
