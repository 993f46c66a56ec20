"""One probe under way: its folder and output, what it takes, and in the end its answer."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.output import Output
from trl_doctor.asking.usage import Process, disk_used, tree_memory
from trl_doctor.core.process_end import ended
from trl_doctor.core.question import Answer, Question, Raised, State, converted
from trl_doctor.core.sizes import shown

TAIL = 12
"""Lines of a failed probe's output that are kept as evidence."""

COUNTS = 50
"""Its files are not counted again for so many times the time that it took."""

LONGEST_ANSWER = 16 * 1024**2
"""Bytes."""


class Running(Struct):
    """A probe that was sent to the host. Its times are values of `time.monotonic()`."""

    number: int
    question: Question[Any]
    folder: Path
    output: Output
    begun: float = field(default_factory=time.monotonic)
    process: int = 0
    memory: int = 0
    verdict: tuple[State, str] | None = None
    judged: float = 0.0
    next_count: float = 0.0

    @classmethod
    def prepared(
        cls, number: int, question: Question[Any], root: Path, limits: ProbeLimits
    ) -> Running:
        """A new probe's folder in the host's, with its request."""
        folder = root / f"{number}-{Path(question.probe).stem}"
        for subfolder in ("work", "scratch"):
            (folder / subfolder).mkdir(parents=True)
        request = {
            "probe": question.probe,
            "folder": str(folder),
            "disk": limits.disk,
            "request": dict(question.request),
        }
        (folder / "request.json").write_text(json.dumps(request, indent=1), "utf-8")
        return cls(number, question, folder, Output(folder / "output"))

    def has_started(self, process: int) -> None:
        """The host has forked it: its time counts from now."""
        self.process, self.begun = process, time.monotonic()

    def exceeds(self, limits: ProbeLimits, process_table: Mapping[int, Process]) -> bool:
        """Whether the probe now exceeds a limit; its verdict is then set."""
        if self.verdict:
            return False
        enough = limits.memory // 2
        memory = tree_memory(self.process, process_table, enough) if self.process else 0
        self.memory = max(self.memory, memory)
        if time.monotonic() - self.begun > limits.seconds:
            self.verdict = "timed out", f"it took more than {limits.seconds:g} s (--timeout)"
        elif memory > limits.memory:
            allowed = f"{shown(limits.memory)} are allowed (--memory-limit)"
            self.verdict = "out of memory", f"it took {shown(memory)} of memory, {allowed}"
        elif self._disk_used() > limits.disk:
            self.verdict = "out of disk", f"it wrote more than {shown(limits.disk)}"
        self.judged = time.monotonic()
        return self.verdict is not None

    def _disk_used(self) -> int:
        """The bytes in its folder; 0 where they were counted a moment ago."""
        start = time.monotonic()
        if start < self.next_count:
            return 0
        used = disk_used(self.folder)
        end = time.monotonic()
        self.next_count = end + COUNTS * (end - start)
        return used

    def kill(self) -> None:
        """Kill its process group, where the host no longer can."""
        if self.process:
            with suppress(OSError):
                os.killpg(self.process, signal.SIGKILL)

    def answer(self, status: int | None) -> Answer[Any]:
        """What became of its question, by its exit status (None: it cannot be ended)."""
        self.output.read()
        seconds = time.monotonic() - self.begun
        tail = self.output.tail(TAIL)
        base = Answer[Any](self.question, "died", tail=tail, folder=str(self.folder))
        base = replace(base, seconds=seconds, memory=self.memory)
        if self.verdict:
            return replace(base, state=self.verdict[0], reason=self.verdict[1])
        try:
            return _with_record(base, json.loads(self._answer_bytes()))
        except FileNotFoundError:
            return replace(base, reason=ended(status) if status else "it ended without an answer")
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            return replace(base, reason=f"its answer cannot be read: {error}")

    def _answer_bytes(self) -> bytes:
        """The bytes of the answer. Raises `OSError`, or `ValueError` if it is no regular file."""
        end = os.open(self.folder / "answer.json", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(end, "rb") as file:
            about = os.fstat(end)
            if not stat.S_ISREG(about.st_mode) or about.st_size > LONGEST_ANSWER:
                raise ValueError(f"{about.st_size} bytes of no regular kind")
            return file.read()


def _with_record(base: Answer[Any], record: dict[str, Any]) -> Answer[Any]:
    """The answer with the probe's own record of the outcome."""
    base = replace(
        base, seconds=float(record["seconds"]), memory=max(base.memory, int(record["memory"]))
    )
    if "answer" in record:
        return _answered(base, record["answer"])
    if "refused" in record:
        return replace(base, state="refused", reason=str(record["refused"]))
    if "unfit" in record:
        return replace(base, reason=str(record["unfit"]))
    return _raised(base, record["raised"])


def _answered(base: Answer[Any], value: Any) -> Answer[Any]:
    """The answer with what was measured, as the dataclass that the question expects."""
    try:
        return replace(base, state="answered", value=converted(value, base.question.answers))
    except ValueError as error:
        reason = f"this version does not understand what it answered: {error}"
        return replace(base, state="not understood", reason=reason)


def _raised(base: Answer[Any], record: Mapping[str, Any]) -> Answer[Any]:
    frames = tuple((str(a), int(b), str(c), str(d)) for a, b, c, d in record["frames"])
    raised = Raised(record["type"], record["message"], frames, record["contained"],
                    tuple(record["seen"]))  # fmt: skip
    state: State = (
        "out of memory" if record["memory"] else "out of disk" if record["disk"] else "raised"
    )
    return replace(base, state=state, reason=raised.line, raised=raised)
