"""How vLLM's own loader loads the tokenizer in the policy's folder."""

from __future__ import annotations

from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.probes.answers.engine_tokenizer import EngineTokenizerAnswer


def engine_tokenizer(facts: Facts) -> Answer[EngineTokenizerAnswer]:
    """vLLM's tokenizer compared with the training tokenizer; no engine is started.

    Raises `Unavailable`.
    """
    question_ = question(facts, "engine_tokenizer", "vLLM's tokenizer", EngineTokenizerAnswer)
    return facts.probes.ask(question_)
