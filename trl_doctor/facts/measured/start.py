"""Whether TRL's own command reaches its first training step."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.measured.step import control, same_failure
from trl_doctor.probes.answers.start import StartAnswer


def start(facts: Facts) -> Answer[StartAnswer]:
    """TRL's script up to its first step, with a small model. Raises `Unavailable`."""
    question_ = question(
        facts, "start", "starting the trl command", StartAnswer, processes=facts.run.processes
    )
    return facts.probes.ask(question_)


def own_start_failure(facts: Facts) -> Answer[StartAnswer] | None:
    """The answer where the command does not start; None if it starts.

    Raises `Unavailable` if this is not known, or a healthy model fails in the same way.
    """
    answer = facts[start]
    if answer.state in ("answered", "died", "timed out", "out of memory", "out of disk"):
        answer.measured()
        return None
    if answer.raised is None or answer.raised.contained:
        raise Unavailable(f"starting the trl command: {answer.reason}")
    healthy = facts.get(control)
    if healthy is not None and same_failure(answer, healthy):
        raise Unavailable(f"a healthy model fails with the same error: {answer.reason}")
    return answer
