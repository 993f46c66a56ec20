"""What the real libraries make of the run's own rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.candidate import without_weights
from trl_doctor.facts.measured.step import stepped
from trl_doctor.probes.answers.data import DataAnswer
from trl_doctor.probes.answers.step import Labels

KEYS = ("datasets", "dataset_name")
"""Where a run file names its data; TRL reads the second only where the first is not there."""


@dataclass(frozen=True)
class Learned:
    """What a trainer makes of rows to learn from, and how its tokenizer pads.

    `made` says that the rows are not the run's.
    """

    labels: Labels
    conversational: bool
    pad: int | None
    script_pads: Literal["never", "where missing", "always"]
    made: bool = False


def key(facts: Facts) -> str:
    """The argument that names the data. Raises `NotConcerned` where there is none."""
    for name in KEYS:
        if facts.run.arguments.get(name):
            return name
    raise NotConcerned("the run names no data")


def data(facts: Facts) -> Answer[DataAnswer]:
    """The rows loaded and prepared, on a model without a fault. Raises `Unavailable`."""
    key(facts)
    return facts.probes.ask(without_weights(facts, "data", "the run's rows", DataAnswer))


def learned(facts: Facts) -> Learned:
    """What the trainer learns from the run's rows, else from those of the step.

    Raises `NotConcerned` for trainers that generate, `Unavailable` where it is not known.
    """
    asked = facts.get(data)
    found = asked.value if asked else None
    if found and found.labels and found.own_tokenizer:
        return Learned(found.labels, found.conversational, found.pad, found.script_pads)
    step = facts[stepped]
    if step.labels is None:
        raise NotConcerned("this trainer does not train on the rows themselves")
    made = step.rows_from == "made"
    return Learned(step.labels, step.conversational, step.pad, step.script_pads, made)


def told_of_rows(found: DataAnswer, said: str) -> bool:
    """Whether the rows, loaded or prepared alone, raise what an error of the command says."""
    error = found.not_loaded or (found.fault.error if found.fault else None)
    return error is not None and said.startswith(f"{error.type}: {error.message[:60]}")


def count(facts: Facts) -> int:
    """The rows that the run trains on: counted by the library, else the lines of a local file.

    Raises `Unavailable` where neither is possible.
    """
    named = key(facts)
    asked = facts.get(data)
    found = asked.value if asked else None
    if found and found.rows is not None:
        return found.rows
    files = dataset.all_files(facts)
    number = dataset.lines(files[0]) if len(files) == 1 and named == "dataset_name" else 0
    if not number:
        raise Unavailable("how many rows there are is not known")
    return number
