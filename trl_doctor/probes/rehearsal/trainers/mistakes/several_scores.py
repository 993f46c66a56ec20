"""Whether the models of PPO that judge give one score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...record import Mistake

SCORERS = ("reward_model", "value_model")
"""Models of PPO, which gets both, that have a head `score`."""


def several_scores(arguments: dict[str, Any]) -> Iterator[Mistake]:
    """Models of PPO that give several scores for a token, where it needs one."""
    if not all(arguments.get(role) is not None for role in SCORERS):
        return
    for role in SCORERS:
        head = getattr(arguments[role], "score", None)
        scores = getattr(head, "out_features", 1)
        if isinstance(scores, int) and scores > 1:
            yield Mistake("several scores", [role, str(scores)])
