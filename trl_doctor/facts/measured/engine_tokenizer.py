"""What vLLM's own loader makes of the tokenizer in the policy's folder."""

from __future__ import annotations

from typing import Any

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question


def engine_tokenizer(facts: Facts) -> Answer[dict[str, Any]]:
    """vLLM's tokenizer beside the training one; no engine is started.

    The keys of what it measured are those of `probes/engine_tokenizer.py`. Raises `Unavailable`.
    """
    return facts.probes.ask(question(facts, "engine_tokenizer", "vLLM's tokenizer", dict))
