"""Trainers that treat every pad id as padding: up to which trl, and what this hides."""

from __future__ import annotations

from msgspec import Struct
from packaging.version import Version

from trl_doctor.facts import Facts
from trl_doctor.facts.run_trainer import known_trainer, trl_of


class Masks(Struct, frozen=True):
    """The last trl (`fixed`) in which a trainer treats all pad ids as padding; what this hides."""

    trainer: str
    fixed: str
    hides: str


MASKS = (
    Masks("sft", "0.16.1", "hides it from the loss"),
    Masks("gkd", "1.9.0", "hides it from the loss in the student's completions"),
    Masks("gold", "1.9.0", "hides it from the loss in the student's completions"),
    Masks("online_dpo", "0.23.0", "hides it from the reward model"),
    Masks("rloo", "0.22.0", "hides it from the reward model and cuts the answer there"),
    Masks("xpo", "", "hides it from the reward model"),
    Masks("nash_md", "", "hides it from the reward model"),
    Masks("ppo", "", "hides it from policy, value and reward model and cuts the answer there"),
)


def masks(facts: Facts) -> list[Masks]:
    """The trainers of this run's trl, or this run's trainer, that treat every pad id as padding.

    Where the version of trl is not known: those that do so in any release.
    """
    name, trl = known_trainer(facts), trl_of(facts)
    return [
        mask
        for mask in MASKS
        if name in (None, mask.trainer)
        and (trl is None or not mask.fixed or trl < Version(mask.fixed))
    ]
