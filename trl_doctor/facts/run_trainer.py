"""How messages name the run's trainer."""

from __future__ import annotations

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts


def trainer(facts: Facts) -> str:
    """The trainer and the release, for example `GRPOTrainer of trl 0.24.0`."""
    named = facts.run.trainer
    name = "the trainer" if isinstance(named, Unavailable) else named.trainer
    return f"{name} of trl {facts.environment.version('trl')}"
