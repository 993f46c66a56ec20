"""What a probe writes: read from a pipe as it comes, and only the end of it kept."""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path

KEPT = 100_000
"""Bytes."""

LONGEST = 500
"""Characters of a line."""

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?")
"""Colours, and other control sequences of a terminal."""


class Output:
    """A named pipe into which a probe writes, and the end of what came out of it."""

    def __init__(self, pipe: Path) -> None:
        os.mkfifo(pipe)
        # open for writing too: so a writer that ends does not make the pipe readable for ever
        self.end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self.data = b""
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):
                fcntl.fcntl(self.end, fcntl.F_SETPIPE_SZ, 1 << 20)

    def read(self) -> None:
        """Read the available output, at most 1 MiB."""
        with suppress(BlockingIOError):
            self.data = (self.data + os.read(self.end, 1 << 20))[-KEPT:]

    def tail(self, lines: int) -> tuple[str, ...]:
        """The last lines with something in them, as a terminal would show them."""
        text = self.data.decode("utf-8", "replace")
        shown = [_shown(line) for line in text.split("\n")]
        return tuple(line for line in shown if line)[-lines:]

    def close(self) -> None:
        """Close the pipe; a probe that still writes gets an error."""
        os.close(self.end)


def _shown(line: str) -> str:
    """A line without what was written over, without colours and control characters."""
    text = ESCAPE.sub("", line.rstrip("\r").rpartition("\r")[2])
    return "".join(char for char in text if char.isprintable() or char == "\t").rstrip()[:LONGEST]
