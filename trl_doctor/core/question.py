"""A question to a probe, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

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


class Question(Struct, Generic[T], frozen=True):
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


class Raised(Struct, frozen=True):
    """What the library raised: `frames` are (file, line, function, source), innermost last.

    `contained` says that the probe tried what it may not do: use the network, write elsewhere.
    `seen` are values of names in the last of these lines.
    """

    type: str
    message: str
    frames: tuple[tuple[str, int, str, str], ...] = ()
    contained: bool = False
    seen: tuple[str, ...] = ()

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


class Answer(Struct, Generic[T], frozen=True):
    """The outcome of a question.

    `value` is the probe's measurement, if the state is "answered". Otherwise `reason` is a clause
    about the outcome; `tail` are the probe's last lines of output. `seconds` is its duration,
    `memory` the most that its process used, in bytes (0: not known). `repeat` is the command that
    repeats the probe outside trl-doctor, if it was kept. `folder` is the probe's folder with its
    files; it exists until trl-doctor ends.
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
    """The question is not answered yet: ask again after all other questions are answered.

    It is no `Exception`, so that no rule catches it by accident.
    """
