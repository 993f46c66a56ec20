"""Answers of the probe that loads the files."""

from collections.abc import Mapping

from trl_doctor.core.question import T
from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.load import (
    LoadAnswer,
    LoadedAdapter,
    LoadedCheckpoint,
    LoadedTokenizer,
    LoadError,
    Part,
)

from .libraries import IMPORTS
from .runs import recorded

WELL = recorded("sft", "load", LoadAnswer)
POLICY = WELL.models["policy"].measured
assert WELL.tokenizer.measured and POLICY and WELL.adapter.measured
TOKENIZER, CHECKPOINT, ADAPTER = WELL.tokenizer.measured, POLICY, WELL.adapter.measured
"""What the probe answered of a healthy run, part by part."""

NOT_ASKED = "the example does not ask"


def _part(part: T | LoadError | str) -> Part[T]:
    if isinstance(part, str):
        return Part(refused=part)
    return Part(raised=part) if isinstance(part, LoadError) else Part(part)


def answers(
    *,
    tokenizer: LoadedTokenizer | LoadError | str = NOT_ASKED,
    models: Mapping[str, LoadedCheckpoint | LoadError | str] | None = None,
    adapter: LoadedAdapter | LoadError | str = NOT_ASKED,
) -> Answers:
    """What the probes answered: of each part what was measured, an error, or why it was refused."""
    parts = {role: _part(part) for role, part in (models or {}).items()}
    return {**IMPORTS, "load": LoadAnswer(_part(tokenizer), parts, _part(adapter))}
