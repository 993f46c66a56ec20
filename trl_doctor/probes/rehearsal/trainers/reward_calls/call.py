"""A call of a reward function that a trainer has made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

SECONDS, SLOW = 10.0, 0.05
"""The time for each function, and the seconds for one completion from which on none is tried."""


class Called(NamedTuple):
    """A function of the script, as the trainer has called it: the arguments, and its time."""

    function: Callable[..., Any]
    about: Mapping[str, Any]
    given: Mapping[str, Any]
    seconds: float

    @property
    def names(self) -> frozenset[str]:
        """The names of the arguments."""
        return frozenset(self.given)
