"""What the processes of a rehearsed command told, in the order in which it happened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.core.question import Answer
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.errors.stacks import Rank, latest
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.notebook import Notebook

Event: TypeAlias = Mapping[str, Any]
FOLLOWING = ("Connection closed by peer", "Connection reset by peer", "ChildFailedError",
             "NCCL", "Broken pipe", "Timed out waiting", "SIGTERM")  # fmt: skip
"""What a process says that lost another one: the other one's error comes first."""


class Events(Struct, frozen=True, dict=True):
    """`answer` is the answer of the probe that ran the command; `own` the user's working folder.

    `copy` is the folder that stood for it, `root` above it what stood around it. `ranks` tell where
    the processes were when time ran out. `given` is the command in the user's words; a `bare` one
    is a script without a launcher. `number` is that of the trainer which they are about, from 0 in
    the order of the script. `inside` are scripts that a launch file contains, with that file.
    """

    events: tuple[Event, ...]
    answer: Answer[RehearseAnswer]
    own: Path
    copy: Path
    ranks: Mapping[int, Rank] = field(default_factory=dict)
    notebook: Notebook | None = None
    root: Path | None = None
    given: str = ""
    bare: bool = False
    python: str = ""
    number: int = 0
    inside: Mapping[str, Path] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds."""
        return [event for event in self.events if event["kind"] in kinds]

    def last(self, kind: str) -> Event | None:
        """The last event of a kind, of the first process that reported it."""
        events = self.of(kind)
        least = min((event["rank"] for event in events), default=0)
        return next((event for event in reversed(events) if event["rank"] == least), None)

    @property
    def timed_out(self) -> bool:
        """Whether time ran out."""
        return self.answer.state == "timed out" or bool(
            self.answer.value and self.answer.value.timed_out
        )

    @property
    def status(self) -> int:
        """The command's exit status; a signal's number is negative."""
        return self.answer.value.status if self.answer.value else -1

    @property
    def rewards_tried(self) -> Mapping[str, Any]:
        """What the reward functions gave after the step; empty where they were not tried."""
        event = self.last("rewards tried")
        text = Path(event["file"]).read_text("utf-8") if event and event["file"] else "{}"
        return dict(json.loads(text))

    @cached_property
    def failure(self) -> Event | None:
        """What ended the command first: a process that only lost another one comes last.

        A failure that the script has caught and gone on from counts if nothing else ended it.
        """
        failed = self.of("failed")
        if not failed or (self.status == 0 and self.answer.state == "answered"):
            return None
        own = [event for event in failed if not lost(event)]
        ended = [event for event in own if event["stage"] == "script"] or own or failed
        message = ended[0]["message"]
        same = [event for event in failed if event["message"] == message]
        return next((event for event in same if event["stage"] != "script"), ended[0])

    @property
    def not_evaluated(self) -> Event | None:
        """The error of an evaluation in any process, but not of one that only lost another."""
        errors = [event.get("not_evaluated") for event in self.of("step")]
        return next((error for error in errors if error and not lost(error)), None)

    @property
    def left(self) -> Event | None:
        """Where one of several processes has ended itself with an exit status that is not 0."""
        exits = [event for event in self.of("exit") if event["status"] not in (0, None)]
        return exits[0] if exits and self.of("launch") else None

    @property
    def reached(self) -> str:
        """How far it came: "end", "step", "trainer", "import" or "nothing"."""
        if self.status == 0 and self.of("step") and self.answer.state == "answered":
            return "end"
        if any(event.get("steps") for event in self.of("step")):
            return "step"
        if self.of("built"):
            return "trainer"
        return "import" if self.of("config", "model", "data") else "nothing"

    def at(self, place: object) -> CodeLine | None:
        """A line of an event, in the user's own file and not in its copy.

        None for what has no line, such as a function that is built into Python.
        """
        if not isinstance(place, list | tuple) or len(place) < 2 or None in place[:2]:
            return None
        file, line = self.original(str(place[0])), int(place[1])
        for book in (self.notebook, self.notebook.before) if self.notebook else ():
            if book and book.cells and file == self.own / book.name:
                return CodeLine(book.path, line, book)
        if file.parent == self.own and (launcher := self.inside.get(file.name)):
            return CodeLine(launcher.absolute(), line)
        return CodeLine(file, line)

    def original(self, file: str) -> Path:
        """The user's own file where a process names its copy."""
        path, (root, own) = Path(file), self._around
        return own / path.relative_to(root) if path.is_relative_to(root) else path

    @cached_property
    def _around(self) -> tuple[Path, Path]:
        """The folder that stood for what is around the user's own, and that itself."""
        root = self.root or self.copy
        depth = len(self.copy.relative_to(root).parts) if self.copy.is_relative_to(root) else 0
        return (root if depth else self.copy), (self.own, *self.own.parents)[depth]

    def named_there(self, event: Event) -> Event:
        """A failure whose message names the user's own files, and not their copies."""
        if event["kind"] != "failed":
            return event
        root, own = map(str, self._around)
        return {**event, "message": str(event["message"]).replace(root, own)}

    def own_line(self, frames: object) -> CodeLine | None:
        """The innermost line of the user's own among calls."""
        for frame in reversed(frames if isinstance(frames, list) else []):
            path = Path(str(frame[0]))
            if path.is_relative_to(self._around[0]) or _is_own(path, self.own):
                return self.at(frame)
        return None


def read_events(
    records: Path, answer: Answer[RehearseAnswer], own: Path, notebook: Notebook | None = None
) -> Events:
    """The events of the last attempt, without one that was cut off when a process was killed."""
    attempts = sorted(records.glob("[0-9]*"), key=_number)
    last = attempts[-1] if attempts else records
    events = sorted(_lines(last), key=lambda event: float(event["time"]))
    started = next((event for event in events if event["kind"] == "started"), {})
    copy = Path(str(started.get("folder") or (answer.value.folder if answer.value else own)))
    root = Path(str(started.get("root") or copy))
    record = Events(tuple(events), answer, own, copy, latest(last), notebook, root)
    return replace(record, events=tuple(map(record.named_there, events)))


def _number(folder: Path) -> int:
    return int(folder.name)


def _lines(folder: Path) -> Iterator[Event]:
    for file in sorted(folder.glob("record-*.jsonl")):
        for line in file.read_text("utf-8", "replace").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def lost(event: Event) -> bool:
    """Whether a failed process says that it lost another one."""
    message = f"{event['type']}: {event['message']}"
    return any(word in message for word in FOLLOWING)


def _is_own(path: Path, own: Path) -> bool:
    return path.is_relative_to(own) and "site-packages" not in path.parts
