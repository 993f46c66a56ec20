"""Values of a run file such that their `repr` is Python source: infinity and NaN have no name."""

from __future__ import annotations

import math
from typing import Any


class _Named(float):
    def __repr__(self) -> str:
        return f'float("{float(self)}")'


def spelled(value: Any) -> Any:
    """The same value, which can be written into a script with `repr` or `pprint`."""
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelled(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return _Named(value)
    return value
