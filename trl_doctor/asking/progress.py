"""The line on a terminal that says which questions are open."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO


class Progress:
    """Writes one line over itself; `silent` without a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.silent = not self.stream.isatty()
        self._written = False

    def show(self, doing: Sequence[str], seconds: float) -> None:
        """Say what is being done (the first of these, and how many more), and for how long."""
        if self.silent:
            return
        more = f", {len(doing) - 1} more" if len(doing) > 1 else ""
        self.stream.write(f"\r\x1b[K  {doing[0]:.60}{more} … {seconds:.0f} s")
        self.stream.flush()
        self._written = True

    def say(self, message: str) -> None:
        """Print an important message, also without a terminal."""
        self.clear()
        self.stream.write(f"trl-doctor: {message}\n")
        self.stream.flush()

    def clear(self) -> None:
        """Clear the line."""
        if self._written:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._written = False
