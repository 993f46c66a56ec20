"""Answers what a live trainer shows, and nothing for which a step would be needed."""

from __future__ import annotations

from typing import cast

from msgspec import Struct

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.core.question import Answer, Question, T
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.probes.answers.live import LiveAnswer


class LiveOracle(NoOracle, Struct, frozen=True):
    """`looks` is what was seen of the trainer; None if only its parts are known."""

    looks: LiveAnswer | None

    def ask(self, question: Question[T]) -> Answer[T]:
        if question.probe != "live" or self.looks is None:
            raise Unavailable(self.reason)
        return Answer(question, "answered", cast(T, self.looks))
