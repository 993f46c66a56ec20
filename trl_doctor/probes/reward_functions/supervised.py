"""Has work done in a process that is left behind if it does not return, also from C code."""

from __future__ import annotations

import faulthandler
import json
import os
import re
import select
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..guard import exit_code
from ..processes import die_with, kill_group, out_of_the_way, quietly

LONGEST = 20.0
"""Seconds that one stage may take, where there is time."""

LEAST = 0.5
"""Seconds that it may take, if there is none."""

SLICE = 0.05
"""Seconds between two looks whether a process is still there."""

PATIENCE = 0.3
"""Seconds for a process to write its stack."""

FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)

Found = dict[str, Any]
Frame = tuple[str, int, str]
"""File, line and function."""


class Report:
    """How the work reports what it is doing."""

    def __init__(self, end: int) -> None:
        self._end = end

    def doing(self, stage: str, unless: Found) -> None:
        """It begins a stage, or goes on with it; `unless` is the state if no more is reported."""
        self.write({"stage": stage, "unless": unless})

    def write(self, message: Found) -> None:
        """A line for the supervisor."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._end, data) :]


Work = Callable[[int, Report], Found]


def each_done(work: Work, count: int, seconds: float) -> list[Found]:
    """What `work` finds for each number below `count`, in `seconds` for all of them.

    Where a stage takes too long, what it reported before is returned, with the `seconds` that it
    was given and the `frames` in which it stood, innermost first; where it ends its process, with
    that exit `status` (a signal's number is negative). The rest is done by another process.
    """
    outcomes: list[Found] = []
    until = time.monotonic() + seconds
    while len(outcomes) < count:
        worker = _Worker(work, range(len(outcomes), count))
        try:
            while not worker.lost and len(outcomes) < count:
                share = (until - time.monotonic()) / (count - len(outcomes))
                outcomes.append(worker.next(share))
        finally:
            worker.close()
    return outcomes


class _Worker:
    """A forked process that does the work for some numbers, one after the other."""

    def __init__(self, work: Work, numbers: Sequence[int]) -> None:
        self.lost = False
        self.status: int | None = None
        self._rest = b""
        self._frames = tempfile.TemporaryFile(dir=".")  # noqa: SIM115
        self._end, theirs = (out_of_the_way(end) for end in os.pipe())
        supervisor = os.getpid()
        self._process = os.fork()
        if not self._process:
            try:
                os.setpgid(0, 0)
                die_with(supervisor)
                faulthandler.register(signal.SIGUSR1, self._frames, all_threads=False)
                _do(work, numbers, Report(theirs))
            finally:
                os._exit(0)
        os.close(theirs)

    def next(self, share: float) -> Found:
        """What is found for the next number, of which `share` is the time, in seconds."""
        begun = time.monotonic()
        last, until = begun + max(share, LEAST), begun + max(share, LEAST)
        stage, unless = "", Found()
        while True:
            line = self._line(until)
            if line is None:
                return self._unanswered(unless, time.monotonic() - begun)
            event = json.loads(line)
            if "failed" in event:
                raise RuntimeError(event["failed"])
            if "found" in event:
                return dict(event["found"])
            unless = event["unless"]
            if event["stage"] != stage:
                stage, begun = event["stage"], time.monotonic()
                until = max(begun + LEAST, min(last, begun + LONGEST))

    def _line(self, until: float) -> bytes | None:
        """The next line that the process writes; None if the time is up, or it has ended."""
        watch = select.poll()
        watch.register(self._end, select.POLLIN)
        while b"\n" not in self._rest:
            seconds_left = until - time.monotonic()
            if seconds_left <= 0 or self.status is not None:
                return None
            # what it has started may hold the pipe open when it is gone
            if watch.poll(min(seconds_left, SLICE) * 1000):
                part = os.read(self._end, 1 << 16)
                self._rest += part
                if not part:
                    time.sleep(SLICE)
                    self._reap()
            else:
                self._reap()
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _reap(self) -> None:
        """Note how the process has ended, if it has."""
        ended, status = os.waitpid(self._process, os.WNOHANG)
        if ended:
            self.status = exit_code(status)

    def _unanswered(self, unless: Found, seconds: float) -> Found:
        """What holds of work that did not return, or ended its process."""
        self.lost = True
        if self.status is not None:
            return {**unless, "status": self.status}
        return {**unless, "seconds": round(seconds, 1), "frames": self._where()}

    def _where(self) -> list[Frame]:
        """The calls that the process is in, innermost first."""
        quietly(os.kill, self._process, signal.SIGUSR1)
        time.sleep(PATIENCE)
        self._frames.seek(0)
        text = self._frames.read().decode("utf-8", "replace")
        return [(file, int(line), name) for file, line, name in FRAME.findall(text)]

    def close(self) -> None:
        """Leave nothing of it running, and nothing of what it has started in its group."""
        kill_group(self._process)
        if self.status is None:
            quietly(os.kill, self._process, signal.SIGKILL)
            quietly(os.waitpid, self._process, 0)
        os.close(self._end)
        self._frames.close()


def _do(work: Work, numbers: Sequence[int], report: Report) -> None:
    try:
        for number in numbers:
            report.write({"found": work(number, report)})
    except BaseException as error:
        report.write({"failed": f"{type(error).__name__}: {error}"})
