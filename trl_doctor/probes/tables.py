"""Tables that a library makes when it is first asked: made before the forks, they are for all."""

from __future__ import annotations

import contextlib
import sys


def make_tables() -> None:
    """Have transformers 5 compile its patterns for the names of weights, where it is imported.

    Each probe that loads or saves a model needs them, and would take a quarter of its time.
    """
    conversions = sys.modules.get("transformers.conversion_mapping")
    with contextlib.suppress(Exception):
        conversions.get_checkpoint_conversion_mapping("")  # type: ignore[union-attr]
