"""How many rows a batch keeps for a loss that takes them in groups."""

from __future__ import annotations

import re

from ..rows.intent import says
from .cutting import BATCH

LOSS = re.compile(r"\bdef compute_loss\b")
GROUPS = re.compile(
    r"\.(?:view|reshape|unflatten)\(\s*(?:-1|0)\s*,\s*\(?(?:\d|[\w.]*(?:group|num_|n_|per_))",
    re.IGNORECASE,
)
"""Code that divides what a batch gives into groups of one size: of two rows there may be none."""

ENOUGH = 8
"""The rows of a batch that such code gets, if the script asks for as many."""


def rows_of_batch() -> int:
    """The most rows of a small batch: more than usual where the script's own loss needs groups."""
    return ENOUGH if says(LOSS) and says(GROUPS) else BATCH
