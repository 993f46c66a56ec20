"""What a script does to the columns of its rows before its trainer gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.column_steps import ColumnStep, steps_of


def changes(facts: Facts) -> tuple[ColumnStep, ...]:
    """The steps between a file of rows and the trainer, in their order."""
    return steps_of(facts.run.script.value("train_dataset"))


def changed(row: Mapping[str, Json], steps: Sequence[ColumnStep]) -> dict[str, Json]:
    """A row of the file as the trainer gets it."""
    new = dict(row)
    for step in steps:
        if step.how == "rename":
            new = {step.names.get(name, name): cell for name, cell in new.items()}
        else:
            kept = step.how == "select"
            new = {name: cell for name, cell in new.items() if (name in step.names) is kept}
    return new
