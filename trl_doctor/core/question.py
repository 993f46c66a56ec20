"""What a probe is asked, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable

Level: TypeAlias = Literal["files", "tiny", "full"]
Device: TypeAlias = Literal["cpu", "cuda"]

State: TypeAlias = Literal[
    "answered", "raised", "refused", "died", "timed out", "out of memory", "out of disk"
]


@dataclass(frozen=True)
class Question:
    """A probe (the name of a script in `probes`), its request, and what a person calls it.

    `imports` are modules or `module:attribute` that the probe needs, imported once for all.
    """

    probe: str
    label: str
    request: Mapping[str, Json]
    imports: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same for questions that have the same answer."""
        return json.dumps([self.probe, self.request], sort_keys=True)


@dataclass(frozen=True)
class Raised:
    """What the library raised: `frames` are (file, line, function, source), innermost last."""

    type: str
    message: str
    frames: tuple[tuple[str, int, str, str], ...] = ()
    network: bool = False

    @property
    def line(self) -> str:
        """The error in one line."""
        first = self.message.strip().splitlines()
        return f"{self.type}: {first[0]:.300}" if first else self.type

    @property
    def at(self) -> str:
        """Where it was raised, as `trl/trainer/utils.py:176 in pad`."""
        if not self.frames:
            return ""
        file, line, function, _ = self.frames[-1]
        return f"{file.rpartition('site-packages/')[2]}:{line} in {function}"


@dataclass(frozen=True)
class Answer:
    """What became of a question.

    `value` is what the probe measured, where the state is "answered". `reason` is a clause that
    says what became of it otherwise; `tail` are its last lines of output. `seconds` are from its
    start to its end, `memory` is the most that its process held, in bytes (0: not known).
    `repeat` is the command that asks again outside the doctor, where it was kept.
    """

    question: Question
    state: State
    value: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    raised: Raised | None = None
    tail: tuple[str, ...] = ()
    seconds: float = 0.0
    memory: int = 0
    repeat: str = ""

    def measured(self) -> Mapping[str, Any]:
        """What the probe measured; raises `Unavailable` with the reason where it did not."""
        if self.state != "answered":
            raise Unavailable(f"{self.question.label}: {self.reason}")
        return self.value


class Pending(BaseException):
    """The question is being asked: ask again when all that was asked is answered.

    No `Exception`, so that nothing that a rule catches keeps it from its answer.
    """
