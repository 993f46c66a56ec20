"""The answers about a rehearsed command: how it ended, and what that means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RehearseAnswer:
    """How the command ended: its exit `status` (a signal's number is negative), or `late`.

    It ran so many `attempts`, the last in `folder`, with `columns` that the others had lacked.
    """

    status: int
    late: bool
    attempts: int
    folder: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class RehearsalFailure:
    """What ended a rehearsal before its end.

    `whose` is "script", "candidate", "installation" or "machine" (something is missing here);
    `kind` tells some apart ("gone", "hang"); `remedy` is the least that would help, "" if nobody
    knows. `file` and `line` are the user's own, "" and 0 if no line is. `seen` is what the
    objects at that line say.
    """

    whose: str
    message: str
    remedy: str = ""
    kind: str = ""
    file: str = ""
    line: int = 0
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Saved:
    """Whether what the trainer saved loads again; else `error`, class and message.

    `lacking` weights are in one of the two only, `differing` have other values; the first of them.
    """

    loads: bool
    error: str = ""
    lacking: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()


@dataclass(frozen=True)
class GivenRows:
    """What the trainer was given to learn from.

    `rows` is their number, None where they were cut before. `streamed` says that they are a stream,
    `endless` that the script says no `max_steps` for it. `evaluation` are the columns of the rows
    to evaluate on: empty where they are not known, None if there are no such rows. `pads_right`
    says that they are token ids of different lengths, which the script's tokenizer pads after them.
    `repeated` are the rows to evaluate on that are also learned from, and all that were compared;
    `asked_again` those whose question is learned from, perhaps with another answer, and all;
    `idle_steps` the steps at the end at which the script's own schedule is 0, and all steps.
    """

    rows: int | None = None
    streamed: bool = False
    endless: bool = False
    evaluation: tuple[str, ...] | None = ()
    pads_right: bool = False
    repeated: tuple[int, int] | None = None
    idle_steps: tuple[int, int] | None = None
    asked_again: tuple[int, int] | None = None


@dataclass(frozen=True)
class Line:
    """A place in the script."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class SavedFolder:
    """A folder of a model that the script saved after it had trained, in this order.

    `state` is "trained" if it has weights that the training moved, "untouched" if all of its
    weights are as they were before it, else "other". `inner` are the first names of weights that an
    adapter wraps; `file`, `line` and `column` are the script's.
    """

    folder: str
    state: str
    inner: tuple[str, ...] = ()
    file: str = ""
    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Slip:
    """What the script does to its own run: "mixed rows", "padded prompts" or how it trains twice.

    "generated": it generates texts before it makes its trainer, with the small model.

    `words` are the column, or the two trainers; `place` is the user's line, "" if no line is.
    """

    what: str
    words: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True)
class RehearsalAnswer:
    """How far a rehearsal came: "end", "step", "trainer", "import" or "nothing".

    `changed` are what was given, what was used instead, and why. `made_up` are models and data
    sets that are not here, `kept_away` what the script tried to write or reach. `confined` says
    that the kernel kept writes inside the scratch folder. `given` is None if no trainer was
    built. `frozen_in_vain` is the line that freezes weights of a model, if all of them are trained;
    `frozen_part` is the part of the model that it names.
    """

    reached: str
    failure: RehearsalFailure | None = None
    saved: Saved | None = None
    made_up: tuple[str, ...] = ()
    changed: tuple[tuple[str, str, str, str], ...] = ()
    kept_away: tuple[str, ...] = ()
    confined: bool = True
    given: GivenRows | None = None
    kept: tuple[SavedFolder, ...] = ()
    frozen_in_vain: Line | None = None
    frozen_part: str = ""
    slips: tuple[Slip, ...] = ()
