"""A question to a probe, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable

Level: TypeAlias = Literal["files", "tiny", "rehearsal", "full"]
Device: TypeAlias = Literal["cpu", "cuda"]

State: TypeAlias = Literal[
    "answered", "raised", "refused", "died", "timed out", "out of memory", "out of disk",
    "not understood",
]  # fmt: skip
"""Not understood: the answer of the probe does not have the expected type."""

T = TypeVar("T")


@dataclass(frozen=True)
class Question(Generic[T]):
    """A probe (the name of a script in `probes`), its request, and what a person calls it.

    `answers` is the dataclass that it answers with. `imports` are modules or `module:attribute`
    that the probe needs, imported once for all.
    """

    probe: str
    label: str
    request: Mapping[str, Json]
    answers: type[T]
    imports: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A key that is equal for questions with the same answer."""
        return json.dumps([self.probe, self.request], sort_keys=True)


@dataclass(frozen=True)
class Raised:
    """What the library raised: `frames` are (file, line, function, source), innermost last.

    `contained` says that it met what a probe may not do: reach the network, write elsewhere.
    """

    type: str
    message: str
    frames: tuple[tuple[str, int, str, str], ...] = ()
    contained: bool = False

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
class Answer(Generic[T]):
    """What became of a question.

    `value` is what the probe measured, where the state is "answered". `reason` is a clause that
    says what became of it otherwise; `tail` are its last lines of output. `seconds` are from its
    start to its end, `memory` is the most that its process held, in bytes (0: not known).
    `repeat` is the command that asks again outside the doctor, where it was kept. `folder` is the
    probe's own, with what it wrote, until the doctor is done.
    """

    question: Question[T]
    state: State
    value: T | None = None
    reason: str = ""
    raised: Raised | None = None
    tail: tuple[str, ...] = ()
    seconds: float = 0.0
    memory: int = 0
    repeat: str = ""
    folder: str = ""

    def measured(self) -> T:
        """The value that the probe measured; raises `Unavailable` with the reason if there is
        none."""
        if self.value is None:
            raise Unavailable(f"{self.question.label}: {self.reason}")
        return self.value


def converted(value: Any, into: type[T]) -> T:
    """What JSON holds as the dataclass that a probe built of it.

    Raises `ValueError` with one sentence, naming the field, where it holds something else.
    """
    import msgspec

    return msgspec.convert(value, into, strict=True)


class Pending(BaseException):
    """The question is being asked: ask again when all that was asked is answered.

    No `Exception`, so that nothing that a rule catches keeps it from its answer.
    """
