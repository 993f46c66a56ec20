"""The trainer of the run and its release of TRL, as rules compare and name them."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import Version

from trl_doctor.core.plain import listed
from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts


def trainer(facts: Facts) -> str:
    """The trainer and the release, if it is known, for example `GRPOTrainer of trl 0.24.0`.

    `the trainer` alone if it is none that rules know: it may be the script's own.
    """
    stated, version = facts.run.trainer, facts.environment.version("trl")
    if isinstance(stated, Unavailable):
        return "the trainer"
    return f"{stated.trainer} of trl {version}" if version else stated.trainer


def known_trainer(facts: Facts) -> str | None:
    """The name of the run's trainer ("grpo"), None if it is not known."""
    trainer = facts.run.trainer
    return trainer.name if isinstance(trainer, Trainer) else None


def trl_of(facts: Facts) -> Version | None:
    """The version of trl where the run will happen, None if it is not known."""
    return facts.environment.version("trl")


def trainer_stems(names: Sequence[str]) -> str:
    """Trainers in words: "PPO, GKD and GOLD"."""
    return listed([TRAINERS[name].stem for name in names])
