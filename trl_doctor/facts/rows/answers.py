"""The columns in which rows have their answers, and how messages end."""

from __future__ import annotations

from trl_doctor.core.finding import Json

PAIR, ONE = ("chosen", "rejected"), ("completion",)
ANSWERS = {"dpo": PAIR, "orpo": PAIR, "cpo": PAIR, "reward": PAIR,
           "sft": ONE, "kto": ONE, "bco": ONE}  # fmt: skip
"""The answers that a trainer joins with the prompt."""


def last_role(messages: Json) -> str:
    """The role of the last message of a conversation; "" for anything else."""
    last = messages[-1] if isinstance(messages, list) and messages else None
    role = last.get("role") if isinstance(last, dict) else None
    return role if isinstance(role, str) else ""
