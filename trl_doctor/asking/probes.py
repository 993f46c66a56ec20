"""The probes of one command: started in parallel, watched, and killed at their limits."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.asking.host import Gone, Host
from trl_doctor.asking.keep import Keeper
from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.oracle import Conditions
from trl_doctor.asking.progress import Progress
from trl_doctor.asking.running import TAIL, Running
from trl_doctor.asking.usage import processes
from trl_doctor.core.question import Answer, Pending, Question, T

EVERY, REST = 0.1, 10
"""Seconds between two looks at the running probes, at least; or so many times what a look takes."""

PATIENCE = 10.0
"""Seconds that a killed probe has to end; after that it is no longer waited for."""


class Probes(Struct):
    """The probes of one command. Must be closed.

    `variables` are set in the environment of the host; at most `at_once` probes run side by
    side. With `keep` their folders are left there.
    """

    python: Path
    conditions: Conditions = field(default_factory=Conditions)
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: ProbeLimits = field(default_factory=ProbeLimits)
    at_once: int = 2
    keep: Path | None = None
    progress: Progress = field(default_factory=Progress)
    known: dict[str, Answer[Any]] = field(default_factory=dict)
    _waiting: list[Question[Any]] = field(default_factory=list)
    _running: dict[int, Running] = field(default_factory=dict)
    _unstartable: dict[tuple[str, ...], Answer[Any]] = field(default_factory=dict)
    _host: Host | None = None
    _number: int = 0
    _next_look: float = 0.0

    def __enter__(self) -> Probes:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    def ask(self, question: Question[T]) -> Answer[T]:
        """The answer, or `Pending` until it arrives; the libraries are imported meanwhile."""
        if question.key not in self.known:
            if all(question.key != open_.key for open_ in self._open_questions()):
                self._waiting.append(question)
                self._begin()
            raise Pending(question.label)
        return self.known[question.key]

    def finish(self) -> None:
        """Wait until all questions are answered."""
        try:
            while self._waiting or self._running:
                self._step()
        finally:
            self.progress.clear()

    def close(self) -> None:
        """Kill what runs and remove what it wrote. Twice is fine."""
        for running in self._running.values():
            running.output.close()
        self._running.clear()
        self._waiting.clear()
        host, self._host = self._host, None
        if host:
            host.close()

    def _open_questions(self) -> list[Question[Any]]:
        return [*(running.question for running in self._running.values()), *self._waiting]

    def _begin(self) -> None:
        """Start the host if there is none: it imports while the files are still read."""
        for question in list(self._waiting):
            if question.imports in self._unstartable:
                failed = self._unstartable[question.imports]
                self._waiting.remove(question)
                self.known[question.key] = replace(failed, question=question)
        if self._waiting and self._host is None:
            imports = self._waiting[0].imports
            try:
                self._host = Host(self.python, self.variables, imports)
            except Gone as gone:
                self._unstartable[imports] = _answer(self._waiting[0], gone)
                self._begin()

    def _step(self) -> None:
        """Handle events, start waiting probes, check the limits of running ones."""
        self._begin()
        if self._host is None:
            return
        try:
            self._listen(self._host)
            self._launch(self._host)
            if time.monotonic() >= self._next_look:
                self._look(self._host)
        except Gone as gone:
            self._host_ended(gone)

    def _launch(self, host: Host) -> None:
        while self._can_launch(host):
            self._number += 1
            question = self._waiting.pop(0)
            try:
                running = Running.prepared(self._number, question, host.root, self.limits)
            except OSError as error:
                reason = f"its folder cannot be made: {error.strerror}"
                self.known[question.key] = Answer(question, "died", reason=reason)
                continue
            self._running[self._number] = running
            host.send(ask=running.number, folder=str(running.folder))

    def _can_launch(self, host: Host) -> bool:
        return host.ready and bool(self._waiting) and len(self._running) < self.at_once

    def _listen(self, host: Host) -> None:
        """Read events of the host and output of the probes; return when there is something to
        do."""
        outputs = [host.output, *(running.output for running in self._running.values())]
        watch = select.poll()
        for end in (host.events, *(output.end for output in outputs)):
            watch.register(end, select.POLLIN)
        idle = not self._can_launch(host)
        wait = max(0.0, self._next_look - time.monotonic()) if idle else 0.0
        ready = dict(watch.poll(wait * 1000))
        for output in outputs:
            if output.end in ready:
                output.read()
        if host.events in ready:
            for event in host.read_events():
                self._happened(event)

    def _happened(self, event: Mapping[str, Any]) -> None:
        if running := self._running.get(event.get("started", 0)):
            running.has_started(event["process"])
        elif running := self._running.get(event.get("failed", 0)):
            running.verdict = "died", event["reason"]
            self._ended(running, None)
        elif running := self._running.get(event.get("ended", 0)):
            self._ended(running, event["status"])

    def _look(self, host: Host) -> None:
        """Kill probes that take too long, too much memory or too much disk."""
        start = time.monotonic()
        host.hurry(self.limits.starting)
        process_table = processes(*(each.process for each in self._running.values()))
        for running in list(self._running.values()):
            if running.exceeds(self.limits, process_table):
                if not running.process:
                    raise Gone("the process that runs the probes does not answer", "timed out")
                host.send(kill=running.number)
            elif running.verdict and start - running.judged > PATIENCE:
                running.kill()
                self._ended(running, None)
        self._show_progress(host)
        end = time.monotonic()
        self._next_look = end + max(EVERY, REST * (end - start))

    def _show_progress(self, host: Host) -> None:
        if not host.ready:
            doing = f"importing {host.importing}" if host.importing else "starting"
            self.progress.show([doing], time.monotonic() - host.begun)
        elif self._running:
            first = min(question.begun for question in self._running.values())
            labels = [f"asking: {question.label}" for question in self._open_questions()]
            self.progress.show(labels, time.monotonic() - first)

    def _ended(self, running: Running, status: int | None) -> None:
        answer = running.answer(status)
        running.output.close()
        del self._running[running.number]
        self.known[running.question.key] = (
            self._with_copy(answer, running.folder) if self.keep else answer
        )

    def _with_copy(self, answer: Answer[Any], folder: Path) -> Answer[Any]:
        assert self.keep is not None
        try:
            return Keeper(self.keep, self.python, self.variables).keep(answer, folder)
        except OSError as error:
            self.progress.say(f"{answer.question.label} could not be kept: {error}")
            return answer

    def _host_ended(self, failure: Gone) -> None:
        """The host has ended, and its probes with it. Waiting questions go to a new host."""
        host, self._host = self._host, None
        assert host is not None
        tail = host.output.tail(TAIL)
        for running in self._running.values():
            self.known[running.question.key] = _answer(running.question, failure, tail)
            running.kill()
            running.output.close()
        if not host.served:
            self._unstartable[host.imports] = _answer(self._waiting[0], failure, tail)
        self._running.clear()
        host.close()


def _answer(question: Question[Any], failure: Gone, tail: tuple[str, ...] = ()) -> Answer[Any]:
    return Answer(question, failure.state, reason=str(failure), tail=tail)
