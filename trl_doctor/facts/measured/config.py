"""How the trainer's config class accepts the run's own arguments."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import without_models
from trl_doctor.probes.answers.config import ConfigAnswer


def config(facts: Facts) -> Answer[ConfigAnswer]:
    """Whether the config class accepts the arguments. Raises `Unavailable`."""
    question_ = without_models(
        facts,
        "config",
        "the run's arguments",
        ConfigAnswer,
        processes=facts.run.processes,
        roots=[str(root) for root in facts.run.roots],
    )
    return facts.probes.ask(question_)
