"""The line that says which questions are being asked, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

EVERY = 0.1
"""Seconds between two looks at the running probes."""


class Progress:
    """Writes one line over itself; `silent` where nobody looks."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.silent = not self.stream.isatty()
        self._written = False

    def show(self, asked: Sequence[str], seconds: float) -> None:
        """Say what is being asked, and for how long."""
        if self.silent or not asked:
            return
        more = f", {len(asked) - 1} more" if len(asked) > 1 else ""
        self.stream.write(f"\r\x1b[K  asking: {asked[0]:.80}{more} … {seconds:.0f} s")
        self.stream.flush()
        self._written = True

    def clear(self) -> None:
        """Take the line away."""
        if self._written:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._written = False
