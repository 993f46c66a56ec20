"""The probes of one command: started side by side, watched, killed where they must be."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trl_doctor.probing import Answer, Conditions, Pending, Question, Raised
from trl_doctor.probing.host import Gone, Host, ended
from trl_doctor.probing.keep import Keeper
from trl_doctor.probing.limits import Limits, disk_used, group_memory, shown
from trl_doctor.probing.output import Output
from trl_doctor.probing.progress import EVERY, Progress
from trl_doctor.probing.question import State

TAIL = 12
"""Lines of a failed probe's output that are kept as evidence."""


@dataclass
class _Running:
    question: Question
    folder: Path
    output: Output
    asked: float
    started: float = 0.0
    process: int = 0
    memory: int = 0
    verdict: tuple[State, str] | None = None


@dataclass
class Probes:
    """The probes of one command. Must be closed.

    `variables` are set in the environment of the host; at most `at_once` probes run side by
    side. With `keep` their folders are left there.
    """

    python: Path
    conditions: Conditions = field(default_factory=Conditions)
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    at_once: int = 2
    keep: Path | None = None
    progress: Progress = field(default_factory=Progress)
    known: dict[str, Answer] = field(default_factory=dict)
    _waiting: list[Question] = field(default_factory=list)
    _running: dict[int, _Running] = field(default_factory=dict)
    _host: Host | None = None
    _importing: str = ""
    _ready: bool = True
    _begun: float = 0.0
    _number: int = 0

    def __enter__(self) -> Probes:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    def ask(self, question: Question) -> Answer:
        """The answer, or `Pending` while it is awaited; the libraries are imported meanwhile."""
        if question.key in self.known:
            return self.known[question.key]
        if all(question.key != one.key for one in self._asked()):
            self._waiting.append(question)
            self._begin(question)
        raise Pending(question.label)

    def finish(self) -> None:
        """Wait until everything that was asked is answered."""
        try:
            while self._waiting or self._running:
                self._launch()
                self._listen()
                self._look_after()
                self._tell()
        finally:
            self.progress.clear()

    def close(self) -> None:
        """Kill what runs and remove what it wrote. Twice is fine."""
        for one in self._running.values():
            one.output.close()
        self._running.clear()
        self._waiting.clear()
        host, self._host = self._host, None
        if host:
            host.close()

    def _asked(self) -> list[Question]:
        return [*self._waiting, *(one.question for one in self._running.values())]

    def _begin(self, question: Question) -> None:
        """Start the host where there is none: it imports while the files are still read."""
        if self._host is None:
            try:
                self._host = Host(self.python, self.variables)
                self._begun, self._ready = time.monotonic(), not question.imports
                if question.imports:
                    self._host.send(**{"import": list(question.imports)})
            except Gone as reason:
                self._lost(str(reason))

    def _launch(self) -> None:
        if not self._ready or self._host is None:
            if self._host is None and self._waiting:
                self._begin(self._waiting[0])
            return
        while self._waiting and len(self._running) < self.at_once:
            question = self._waiting.pop(0)
            self._number += 1
            folder = self._host.root / f"{self._number}-{question.probe}"
            for part in ("work", "scratch"):
                (folder / part).mkdir(parents=True)
            output = Output(folder / "output")
            self._running[self._number] = _Running(question, folder, output, time.monotonic())
            order = {
                "number": self._number,
                "probe": question.probe,
                "folder": str(folder),
                "request": dict(question.request),
            }
            (folder / "request.json").write_text(json.dumps(order, indent=1), "utf-8")
            try:
                self._host.send(**order)
            except Gone as reason:
                self._lost(str(reason))

    def _listen(self) -> None:
        if self._host is None:
            return
        ends = {one.output.end: one.output for one in self._running.values()}
        ready, _, _ = select.select([self._host.events], [], [], 0 if self._flow(ends) else EVERY)
        if not ready:
            return
        try:
            for event in self._host.read():
                self._happened(event)
        except Gone as reason:
            self._lost(str(reason))

    def _flow(self, ends: Mapping[int, Output]) -> bool:
        """Read what the probes write; whether there may be more at once."""
        return any([output.read() for output in ends.values()])

    def _happened(self, event: Mapping[str, Any]) -> None:
        if "importing" in event:
            self._importing = event["importing"]
        elif "ready" in event:
            self._ready, self._importing = True, ""
        elif "started" in event:
            one = self._running[event["started"]]
            one.started, one.process = time.monotonic(), event["process"]
        elif "ended" in event:
            self._ended(self._running.pop(event["ended"]), event["status"])

    def _look_after(self) -> None:
        """Kill what takes too long, too much memory or too much disk."""
        now, limits = time.monotonic(), self.limits
        if not self._ready and now - self._begun > limits.seconds:
            self._stop(f"importing {self._importing or 'the libraries'} took more than "
                       f"{limits.seconds:g} s")  # fmt: skip
            return
        for number, one in self._running.items():
            if not one.process or one.verdict:
                continue
            held = group_memory(one.process)
            one.memory = max(one.memory, held)
            if now - one.started > limits.seconds:
                one.verdict = "timed out", f"it took more than {limits.seconds:g} s"
            elif held > limits.memory:
                one.verdict = (
                    "out of memory",
                    f"it took {shown(held)} of memory, {shown(limits.memory)} are allowed",
                )
            elif disk_used(one.folder) > limits.disk:
                one.verdict = "out of disk", f"it wrote more than {shown(limits.disk)}"
            if one.verdict and self._host:
                self._host.send(kill=number)

    def _tell(self) -> None:
        now = time.monotonic()
        if not self._ready:
            self.progress.show([f"importing {self._importing}"], now - self._begun)
        elif self._running:
            first = min(one.asked for one in self._running.values())
            self.progress.show([one.label for one in self._asked()][::-1], now - first)

    def _ended(self, one: _Running, status: int) -> None:
        while one.output.read():
            pass
        answer = self._answer(one, status)
        one.output.close()
        if self.keep:
            answer = Keeper(self.keep, self.python, self.variables).kept(answer, one.folder)
        self.known[one.question.key] = answer

    def _answer(self, one: _Running, status: int) -> Answer:
        seconds = time.monotonic() - one.started
        base = Answer(one.question, "died", tail=one.output.tail(TAIL), seconds=seconds,
                      memory=one.memory)  # fmt: skip
        if one.verdict:
            return replace(base, state=one.verdict[0], reason=one.verdict[1])
        try:
            told = json.loads((one.folder / "answer.json").read_text("utf-8"))
        except (OSError, ValueError):
            return replace(base, reason=ended(status) if status else "it ended without an answer")
        base = replace(base, seconds=told["seconds"], memory=max(one.memory, told["memory"]))
        if "answer" in told:
            return replace(base, state="answered", value=told["answer"], tail=())
        if "refused" in told:
            return replace(base, state="refused", reason=told["refused"])
        return _raised(base, told["raised"])

    def _stop(self, reason: str) -> None:
        """Kill a host that hangs; whatever was asked of it is answered with the reason."""
        if self._host:
            os.killpg(self._host.process.pid, 9)
        self._lost(reason, "timed out")

    def _lost(self, reason: str, state: State = "died") -> None:
        """The host is gone, and with it whatever was asked."""
        during = f" while importing {self._importing}" if self._importing else ""
        tail = self._host.tail(TAIL) if self._host else ()
        for question in self._asked():
            said = f"the libraries do not import: {reason}{during}" if during else reason
            self.known[question.key] = Answer(question, state, reason=said, tail=tail)
        self.close()
        self._ready, self._importing = True, ""


def _raised(base: Answer, told: Mapping[str, Any]) -> Answer:
    frames = tuple((str(a), int(b), str(c), str(d)) for a, b, c, d in told["frames"])
    raised = Raised(told["type"], told["message"], frames, told["network"])
    state: State = "out of memory" if told["memory"] else "raised"
    return replace(base, state=state, reason=raised.line, raised=raised)
