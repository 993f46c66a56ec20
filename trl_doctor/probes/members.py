"""Values of arguments that a library may hold as members of an enumeration."""

from __future__ import annotations

from typing import Any


def word(value: Any) -> str:
    """A value as a text: of a member its own value, as `IntervalStrategy.NO` is "no"."""
    return str(getattr(value, "value", value))
