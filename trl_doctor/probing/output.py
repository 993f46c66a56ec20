"""What a probe writes: read from a pipe as it comes, and only the end of it kept."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

KEPT = 200_000
"""Bytes."""


class Output:
    """A named pipe into which a probe writes, and the end of what came out of it."""

    def __init__(self, pipe: Path) -> None:
        os.mkfifo(pipe)
        self.end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.data = b""

    def read(self) -> bool:
        """Take what is there, at most 1 MB; whether there was anything."""
        with suppress(BlockingIOError):
            part = os.read(self.end, 1 << 20)
            self.data = (self.data + part)[-KEPT:]
            return bool(part)
        return False

    def tail(self, lines: int) -> tuple[str, ...]:
        """The last lines with something in them, without what carriage returns wrote over."""
        text = self.data.decode("utf-8", "replace")
        shown = (line.rpartition("\r")[2].rstrip() for line in text.split("\n"))
        return tuple(line for line in shown if line)[-lines:]

    def close(self) -> None:
        """Close the pipe; a probe that still writes is told so."""
        os.close(self.end)
