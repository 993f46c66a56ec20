"""The answers about a rehearsed command: how it ended, and what that means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RehearseAnswer:
    """How the command ended."""

    status: int
    """Its exit status; the number of a signal is negative."""

    timed_out: bool
    attempts: int
    """How often it was started."""

    folder: str
    """Where the last attempt ran."""

    columns: tuple[str, ...]
    """Columns of its rows that earlier attempts had lacked."""


@dataclass(frozen=True)
class RehearsalFailure:
    """What ended a rehearsal before its end."""

    whose: str
    """What is at fault: "script", "candidate", "installation", or "machine", which lacks
    something."""

    message: str
    remedy: str = ""
    """The least that would help, empty if it is not known."""

    kind: str = ""
    """Tells some failures from others: "gone", "hang"."""

    file: str = ""
    line: int = 0
    """The user's own line, 0 if none is at fault."""

    seen: tuple[str, ...] = ()
    """What the objects at that line are."""


@dataclass(frozen=True)
class Saved:
    """What the trainer saved, loaded again; the lists have the first names."""

    loads: bool
    error: str = ""
    """Class and message of the error, if it does not load."""

    lacking: tuple[str, ...] = ()
    """Weights of which only the trainer or only the files have one."""

    differing: tuple[str, ...] = ()
    """Weights that have other values in the files."""


@dataclass(frozen=True)
class TrainingRows:
    """The rows that the script gives its trainer."""

    rows: int | None = None
    """How many there are, None if the rehearsal had cut them before."""

    streamed: bool = False
    endless: bool = False
    """Whether they are a stream, and the script sets no `max_steps`."""

    evaluation: tuple[str, ...] | None = ()
    """The columns of the rows for evaluation: empty if not known, None if there are no rows."""

    pads_right: bool = False
    """Whether they are token ids of several lengths, which the tokenizer pads on the right."""

    repeated: tuple[int, int] | None = None
    """How many rows for evaluation are also trained on, of how many that were compared."""

    idle_steps: tuple[int, int] | None = None
    """At how many steps, at the end, the script's own schedule is 0, of how many steps."""

    shared_questions: tuple[int, int] | None = None
    """How many rows for evaluation have a question that is trained on, of how many compared."""


@dataclass(frozen=True)
class Line:
    """A place in the script."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class SavedFolder:
    """A folder of a model that the script saved after a training."""

    folder: str
    state: str
    """One of "trained" (the training moved weights), "untouched" (it moved none), "empty" (an
    adapter without any) and "other".
    """

    inner: tuple[str, ...] = ()
    """The first names of weights that an adapter wraps."""

    file: str = ""
    line: int = 1
    column: int = 1
    """The place in the script that saves it."""


@dataclass(frozen=True)
class RehearsalMistake:
    """A mistake of the script that a rehearsal saw while the script ran."""

    what: str
    """Its kind, such as "mixed rows": a rule has the sentence for it. "generated" is no mistake:
    the script generates texts before it creates its trainer."""

    words: tuple[str, ...] = ()
    """What the sentence needs: a column, a number of rows, the two trainers."""

    place: str = ""
    """The user's line, empty if there is none."""


@dataclass(frozen=True)
class RehearsalAnswer:
    """What happened in a rehearsal."""

    reached: str
    """How far it came: "end", "step", "trainer", "import" or "nothing"."""

    failure: RehearsalFailure | None = None
    saved: Saved | None = None
    made_up: tuple[str, ...] = ()
    """Models and data sets that are not on this machine, for which small ones were made."""

    changed: tuple[tuple[str, str, str, str], ...] = ()
    """What was replaced: its name, the script's value, the value that was used, and the reason."""

    kept_away: tuple[str, ...] = ()
    """What the script tried to write or to reach, and was not allowed to."""

    confined: bool = True
    """Whether the kernel blocked writes outside the scratch folder."""

    training_rows: TrainingRows | None = None
    """None if no trainer was created."""

    saved_folders: tuple[SavedFolder, ...] = ()
    """In the order in which the script saved them."""

    frozen_in_vain: Line | None = None
    """The line that freezes weights of a model all of whose weights are trained."""

    frozen_part: str = ""
    """The part of the model that this line names."""

    mistakes: tuple[RehearsalMistake, ...] = ()
    """In the order in which they were seen."""

    def mistakes_of(self, what: str) -> list[RehearsalMistake]:
        """The mistakes of one kind."""
        return [mistake for mistake in self.mistakes if mistake.what == what]
