"""One real step of the real trainer with a small model of this run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question, ready
from trl_doctor.facts.measured.own_code import own_code

if TYPE_CHECKING:
    from trl_doctor.probes.answers.gradients import Gradients
    from trl_doctor.probes.answers.step import StepAnswer


def step(facts: Facts) -> Answer[StepAnswer]:
    """One step with the run's own arguments, rows and rewards. Raises `Unavailable`."""
    facts[ready]
    from trl_doctor.probes.answers.step import StepAnswer

    return facts.probes.ask(
        question(facts, "step", "one training step", StepAnswer, own=facts[own_code])
    )


def control(facts: Facts) -> Answer[StepAnswer]:
    """The same step on a healthy model with default arguments. Raises `Unavailable`."""
    facts[ready]
    from trl_doctor.probes.answers.step import StepAnswer

    label = "one training step of a healthy model"
    return facts.probes.ask(question(facts, "healthy_step", label, StepAnswer))


def stepped(facts: Facts) -> StepAnswer:
    """The step's measurements; raises `Unavailable` with the reason if there are none."""
    return facts[step].measured()


def step_gradients(facts: Facts) -> Gradients | None:
    """The gradients of the step; None if no step was run, or no optimizer made one."""
    step = facts.get(stepped)
    return step.gradients if step else None


def installation_at_fault(facts: Facts) -> Answer[StepAnswer] | None:
    """The control's answer where a healthy model fails in the same way; else None.

    None also where the step did not fail, or the control is not known.
    """
    answer = facts[step]
    if answer.state not in ("raised", "died"):
        return None
    healthy = facts.get(control)
    return healthy if healthy is not None and same_failure(answer, healthy) else None


def same_failure(first: Answer[Any], second: Answer[Any]) -> bool:
    """Whether two answers have the same failure: one error, at one place or with one text."""
    if first.state != second.state:
        return False
    if first.raised is None or second.raised is None:
        return first.reason == second.reason
    same_words = first.raised.line == second.raised.line
    return first.raised.type == second.raised.type and (
        same_words or first.raised.at == second.raised.at
    )
