"""Oracles answer questions about the real libraries, by probes or from recorded answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

from msgspec import Struct, field

from trl_doctor.core.question import Answer, Device, Level, Question, T
from trl_doctor.core.unavailable import Unavailable


class Conditions(Struct, frozen=True):
    """The conditions of the probes: level, device, and whether code of a model may run.

    `seconds` is the limit of a probe; `device_why` is the reason for the CPU where a GPU exists.
    """

    level: Level = "tiny"
    device: Device = "cpu"
    trust_remote_code: bool = False
    seconds: float = 300.0
    device_why: str = ""


class Oracle(Protocol):
    """An object that answers questions about the real libraries."""

    @property
    def conditions(self) -> Conditions:
        """The conditions of the answers. Raises `Unavailable` if no question can be answered."""

    def ask(self, question: Question[T]) -> Answer[T]:
        """The answer; raises `Pending` while it is awaited, `Unavailable` if none can come."""

    def finish(self) -> None:
        """Wait until all questions are answered."""

    def __enter__(self) -> Oracle: ...

    def __exit__(self, *why: object) -> None:
        """Ends all processes of the oracle."""


class _Idle:
    """An oracle without processes: nothing to wait for, nothing to end."""

    def finish(self) -> None:
        """There are no questions."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        """Nothing is running."""


class NoOracle(Struct, _Idle, frozen=True):
    """Answers no question, and gives the reason."""

    reason: str

    @property
    def conditions(self) -> Conditions:
        raise Unavailable(self.reason)

    def ask(self, question: Question[T]) -> Answer[T]:
        raise Unavailable(self.reason)


class RecordingOracle(Struct):
    """Forwards questions to another oracle, and records the answers of one checkup."""

    other: Oracle
    answers: dict[str, Answer[Any]] = field(default_factory=dict)

    @property
    def conditions(self) -> Conditions:
        return self.other.conditions

    def ask(self, question: Question[T]) -> Answer[T]:
        answer = self.answers[question.key] = self.other.ask(question)
        return answer

    def finish(self) -> None:
        self.other.finish()

    def settled(self) -> SettledOracle:
        """An oracle with the same answers, for later use."""
        return SettledOracle(self.answers, self.other)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        """The other oracle ends its processes."""


class SettledOracle(Struct, _Idle, frozen=True):
    """Answers questions that were answered before."""

    known: Mapping[str, Answer[Any]]
    asked: Oracle

    @property
    def conditions(self) -> Conditions:
        return self.asked.conditions

    def ask(self, question: Question[T]) -> Answer[T]:
        if question.key not in self.known:
            raise Unavailable("no check needed this")
        return self.known[question.key]


class ExampleOracle(Struct, _Idle, frozen=True):
    """Answers by the probe's name with recorded answers, for the examples of rules."""

    answers: Mapping[str, Answer[Any]]
    conditions: Conditions = Conditions()

    def ask(self, question: Question[T]) -> Answer[T]:
        if question.probe not in self.answers:
            raise Unavailable(f"this example has no answer of the probe {question.probe}")
        answer = self.answers[question.probe]
        if answer.value is not None and not isinstance(answer.value, question.answers):
            expected = question.answers.__name__
            raise TypeError(
                f"{question.probe} answers {expected}, not {type(answer.value).__name__}"
            )
        return answer
