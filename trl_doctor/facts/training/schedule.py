"""Who sets the schedule of the learning rate: the run's arguments, or something else."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.script.passed import passed


def refuse_other_schedules(facts: Facts) -> None:
    """Raises `Unavailable` if something else than the run's arguments may set the schedule."""
    no_other_program(facts)
    if facts.run.arguments.get("deepspeed"):
        raise Unavailable("the DeepSpeed file can name another schedule, which was not examined")
    values = facts.get(passed)
    if values and values.has("optimizers"):
        raise Unavailable("the script creates the optimizer and the schedule itself")
