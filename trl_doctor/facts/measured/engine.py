"""What the real vLLM engine does with this run."""

from __future__ import annotations

from typing import Any

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question


def engine(facts: Facts) -> Answer[dict[str, Any]]:
    """One engine on a shrunken model: its start, the first sync, log-probabilities and stops.

    The keys of what it measured are those of `probes/engine.py`. Raises `Unavailable`.
    """
    return facts.probes.ask(question(facts, "engine", "the vLLM engine", dict))
