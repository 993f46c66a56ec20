"""What the trainer's config class makes of the run's own arguments."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import without_models
from trl_doctor.probes.answers.config import ConfigAnswer


def config(facts: Facts) -> Answer[ConfigAnswer]:
    """Whether the config class takes the arguments. Raises `Unavailable`."""
    asked = without_models(facts, "config", "the run's arguments", ConfigAnswer)
    return facts.probes.ask(asked)
