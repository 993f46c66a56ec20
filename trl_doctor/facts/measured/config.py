"""What the trainer's config class makes of the run's own arguments."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import without_models


def config(facts: Facts) -> Answer:
    """Whether the config class takes the arguments. Raises `Unavailable`."""
    return facts.probes.ask(without_models(facts, "config", "the run's arguments"))
