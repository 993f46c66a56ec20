"""What the real vLLM engine does with this run."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.probes.answers.engine import EngineAnswer


def engine(facts: Facts) -> Answer[EngineAnswer]:
    """One real step with the engine on a small model: weight sync, log-probabilities and stops.

    Raises `Unavailable`.
    """
    return facts.probes.ask(question(facts, "engine", "the vLLM engine", EngineAnswer))


def control(facts: Facts) -> Answer[EngineAnswer]:
    """The same with a healthy model and default arguments. Raises `Unavailable`."""
    label = "the vLLM engine with a healthy model"
    return facts.probes.ask(question(facts, "healthy_engine", label, EngineAnswer))
