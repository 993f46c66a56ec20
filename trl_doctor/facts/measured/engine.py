"""What the real vLLM engine does with this run."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.probes.answers.engine import EngineAnswer


def engine(facts: Facts) -> Answer[EngineAnswer]:
    """One engine on a shrunken model: its start, the first sync, log-probabilities and stops.

    Raises `Unavailable`.
    """
    return facts.probes.ask(question(facts, "engine", "the vLLM engine", EngineAnswer))
