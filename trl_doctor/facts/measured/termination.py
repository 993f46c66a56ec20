"""Whether generation stops where the chat template ends a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trl_doctor.core.question import Answer
from trl_doctor.core.trainer import ONLINE, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question

ASKED = frozenset({"grpo", "rloo"})
"""Trainers whose settings for generation are there as soon as they are built."""


@dataclass(frozen=True)
class Talk:
    """A completion of a model that only ever says its turn end: its tokens, and what stops it.

    `eos` are the ids at which generation ended, or would have.
    """

    eos: tuple[int, ...]
    said: tuple[int, ...]
    stopped: bool


@dataclass(frozen=True)
class Termination:
    """How such a model of this architecture talks by its files, and as the trainer lets it.

    `counted` are the ids at which the trainer takes a completion to have ended. `limit` is the
    length at which generation was cut, in tokens.
    """

    architecture: str
    turn_end: int
    limit: int
    files: Talk
    trainer: Talk
    counted: tuple[int, ...]

    @property
    def line(self) -> str:
        """It in one line, for the report."""
        said = len(self.trainer.said)
        end = "stops at its turn end" if self.trainer.stopped else "runs to the limit"
        return f"{self.architecture} that only ends its turn: {end}, {said} of {self.limit} tokens"


def answered(facts: Facts) -> Answer:
    """What became of the probe; raises `NotConcerned` where nothing is generated."""
    trainer = facts.run.trainer
    if isinstance(trainer, Trainer) and trainer.name not in ONLINE:
        raise NotConcerned("trainers that generate")
    if isinstance(trainer, Trainer) and trainer.name not in ASKED:
        raise NotConcerned(f"{trainer.trainer} sets up generation while it trains: its step tells")
    return facts.probes.ask(question(facts, "termination", "generation to the turn end"))


def termination(facts: Facts) -> Termination:
    """How long the model talks; raises `Unavailable` where it could not be tried."""
    said = facts[answered].measured()
    if "refused" in said["trainer"]:
        raise Unavailable(said["trainer"]["refused"])
    return Termination(
        said["architecture"],
        said["turn_end"],
        said["limit"],
        _talk(said["files"]),
        _talk(said["trainer"]),
        tuple(said["trainer"]["counted"]),
    )


def _talk(said: Mapping[str, Any]) -> Talk:
    return Talk(tuple(said["eos"]), tuple(said["said"]), said["stopped"])
