"""An error that a library raised in a probe."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Error:
    """An exception: its class and message, and the calls that led to it."""

    type: str
    message: str
    contained: bool = False
    """Whether it tried what a probe may not do: to reach the network, or to write elsewhere."""

    memory: bool = False
    """Whether there was not enough memory."""

    disk: bool = False
    """Whether there was not enough space on the disk."""

    frames: tuple[tuple[str, int, str, str], ...] = ()
    """File, line, function and source line of each call, the innermost last."""

    seen: tuple[str, ...] = ()
    """Values of names in the innermost call."""

    @property
    def line(self) -> str:
        """Its class and the first line of its message, if there is one."""
        first = self.message.strip().splitlines()[:1]
        return f"{self.type}: {first[0]:.300}" if first else self.type
