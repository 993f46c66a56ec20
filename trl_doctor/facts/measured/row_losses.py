"""The losses of two rows, alone and in one batch, as the step measured them."""

from __future__ import annotations

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.probes.answers.step import RowLosses

TRAINERS = ("sft", "dpo", "reward")


def two_rows(facts: Facts) -> RowLosses:
    """The measurements; raises `NotConcerned` or `Unavailable` if there are none."""
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("the loss of this trainer is no mean over rows")
    losses = facts[stepped].row_losses
    if losses is None:
        raise Unavailable("the loss is not a mean over rows, or all rows have the same length")
    if losses.why:
        raise Unavailable(f"the losses of two rows could not be computed: {losses.why}")
    return losses
