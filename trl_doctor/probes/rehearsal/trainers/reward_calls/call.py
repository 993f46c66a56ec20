"""A call of a reward function that a trainer has made."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

SECONDS, SLOW = 10.0, 0.1
"""The time for each function, and the cost of one completion from which on none is tried."""

WAITING = 0.1
"""What a second of waiting costs, in seconds of the processor's work."""


class Clock:
    """The seconds and the cost of a completion since the clock was made."""

    def __init__(self) -> None:
        self._begun, self._worked = time.perf_counter(), time.process_time()

    def read(self, completions: int) -> tuple[float, float]:
        """Both; little work takes many seconds where the machine is busy, and costs little."""
        count = max(1, completions)
        seconds = (time.perf_counter() - self._begun) / count
        return seconds, max((time.process_time() - self._worked) / count, seconds * WAITING)


class Called(NamedTuple):
    """A function of the script, as the trainer has called it: the arguments, and its cost."""

    function: Callable[..., Any]
    about: Mapping[str, Any]
    given: Mapping[str, Any]
    cost: float

    @property
    def names(self) -> frozenset[str]:
        """The names of the arguments."""
        return frozenset(self.given)
