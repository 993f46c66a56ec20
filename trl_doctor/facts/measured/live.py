"""What a trainer of a running program shows before its first step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trl_doctor.core.question import Question
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.files.target import LIVE

if TYPE_CHECKING:
    from trl_doctor.probes.answers.live import LiveAnswer


def live(facts: Facts) -> LiveAnswer:
    """What was seen of a live trainer.

    Raises `NotConcerned` for all other targets, `Unavailable` if only its parts are known.
    """
    if facts.run.target.taken_for != LIVE:
        raise NotConcerned("only `trl_doctor.check(trainer)` examines this")
    from trl_doctor.probes.answers.live import LiveAnswer

    return facts.probes.ask(Question("live", "the live trainer", {}, LiveAnswer)).measured()
