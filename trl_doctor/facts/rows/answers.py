"""The columns in which rows have their answers, and how messages end."""

from __future__ import annotations

from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.run_trainer import known_trainer, trl_of

REWARD_JOINS = Version("0.24.0")
"""From this release on RewardTrainer joins the column `prompt` with both answers."""

PAIR, ONE = ("chosen", "rejected"), ("completion",)
ANSWERS = {"dpo": PAIR, "orpo": PAIR, "cpo": PAIR, "reward": PAIR,
           "sft": ONE, "kto": ONE, "bco": ONE}  # fmt: skip
"""The answers that a trainer joins with the prompt."""


def reads_prompts(facts: Facts) -> bool:
    """Whether a trainer of pairs joins the column `prompt` with its answers, in this release."""
    release = trl_of(facts)
    return known_trainer(facts) != "reward" or release is None or release >= REWARD_JOINS


def last_role(messages: Json) -> str:
    """The role of the last message of a conversation; "" for anything else."""
    last = messages[-1] if isinstance(messages, list) and messages else None
    role = last.get("role") if isinstance(last, dict) else None
    return role if isinstance(role, str) else ""
