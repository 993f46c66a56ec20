"""Whether generation stops where the chat template ends a turn."""

from __future__ import annotations

from msgspec import Struct

from trl_doctor.core.question import Answer
from trl_doctor.core.trainer import ONLINE, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.probes.answers.termination import Generation, TerminationAnswer, TrainerGeneration

ASKED = frozenset({"grpo", "rloo"})
"""Trainers that set up generation when they are created."""


class Termination(Struct, frozen=True):
    """How a model that generates only its turn end stops: by its files, and with the trainer.

    `limit` is the length at which generation was stopped, in tokens.
    """

    architecture: str
    turn_end: int
    limit: int
    files: Generation
    trainer: TrainerGeneration

    @property
    def line(self) -> str:
        """The result in one line, for the report."""
        count = len(self.trainer.tokens)
        end = "stops at its turn end" if self.trainer.stopped else "runs to the limit"
        return f"{self.architecture} that only ends its turn: {end}, {count} of {self.limit} tokens"


def answered(facts: Facts) -> Answer[TerminationAnswer]:
    """The probe's answer; raises `NotConcerned` if nothing is generated."""
    trainer = facts.run.trainer
    if isinstance(trainer, Trainer) and trainer.name not in ONLINE:
        raise NotConcerned("only trainers that generate are affected")
    if isinstance(trainer, Trainer) and trainer.name not in ASKED:
        raise NotConcerned(
            f"{trainer.trainer} sets up generation during training: the training step shows it"
        )
    label = "generation to the turn end"
    return facts.probes.ask(question(facts, "termination", label, TerminationAnswer))


def termination(facts: Facts) -> Termination:
    """How long the model generates; raises `Unavailable` if this could not be tried."""
    answer = facts[answered].measured()
    if answer.trainer is None:
        raise Unavailable(answer.refused)
    return Termination(
        answer.architecture, answer.turn_end, answer.limit, answer.files, answer.trainer
    )
