"""An error that a library raised in a probe."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Error:
    """Class and message of an error, what it wanted for, and the calls that led to it.

    `contained` says that it met what a probe may not do: reach the network, write elsewhere;
    `memory` and `disk` that it came up for want of them. `frames` are file, line, function and
    source line of each call, innermost last. `seen` are values of names in the last of them.
    """

    type: str
    message: str
    contained: bool = False
    memory: bool = False
    disk: bool = False
    frames: tuple[tuple[str, int, str, str], ...] = ()
    seen: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Its class and the first line of its message, if there is one."""
        first = self.message.strip().splitlines()[:1]
        return f"{self.type}: {first[0]:.300}" if first else self.type
