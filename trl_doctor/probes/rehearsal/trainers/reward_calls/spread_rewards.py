"""Makes equal rewards differ, so that a rehearsal's step learns something.

The small random model gives no right answer, and a reward for right ones is 0 for all. A trainer
that compares completions then has nothing to learn, and whether its weights can move stays unknown.
"""

from __future__ import annotations

import math
from typing import Any


def values_of(returned: Any) -> Any:
    """What a reward function has returned; of a tensor its numbers."""
    return getattr(returned, "tolist", lambda: returned)()


def spread(returned: Any) -> list[float] | None:
    """Rising rewards, up to 1 more, in place of equal ones; None where they differ, or are none."""
    values = values_of(returned)
    if not isinstance(values, (list, tuple)) or len(values) < 2:
        return None
    if not all(isinstance(value, (int, float)) and math.isfinite(value) for value in values):
        return None
    if len(set(values)) > 1:
        return None
    return [value + at / (len(values) - 1) for at, value in enumerate(values)]
