"""What a trainer logged in its step."""

from __future__ import annotations

import math
from typing import Any


def logged_first(
    log: list[dict[str, Any]],
) -> tuple[dict[str, float], float | None, list[str]]:
    """What the trainer logged first of each name, its loss, and which losses are not finite."""
    merged: dict[str, float] = {}
    for entry in log:
        for name, value in entry.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                merged.setdefault(name, float(value))
    losses = {k: v for k, v in merged.items() if k in ("loss", "grad_norm") or k[:5] == "loss/"}
    first = merged.get("loss", merged.get("loss/policy_avg", merged.get("train_loss")))
    wrong = sorted(name for name, value in losses.items() if not math.isfinite(value))
    return merged, first, wrong
