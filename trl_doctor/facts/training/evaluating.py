"""Whether a run evaluates while it trains."""

from __future__ import annotations

from trl_doctor.core.finding import Json

KEYS = ("eval_strategy", "evaluation_strategy")
"""The argument that says when, and its name in older releases."""


def evaluates(strategy: Json) -> bool:
    """Whether the value of such an argument lets the trainer evaluate."""
    return str(strategy).lower() in ("steps", "epoch")
