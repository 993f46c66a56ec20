"""Answers of the probe that takes one training step."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.rows import Turns
from trl_doctor.probes.answers.step import StepAnswer

from .candidate import CONFIG, RUN, TOKENIZER, candidate
from .libraries import IMPORTS
from .runs import recorded

STEP = Question("step", "one training step", {}, StepAnswer)
FILES = candidate(RUN, TOKENIZER, CONFIG)
SFT = candidate({**RUN, "trainer": "sft"}, TOKENIZER, CONFIG)
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
WELL = recorded("grpo", "step", StepAnswer)
LEARNED = recorded("sft", "step", StepAnswer)
assert WELL.gradients and WELL.completions and LEARNED.labels
TURNS = Turns(head="<|im_start|>assistant", end="<|im_end|>", rows=2, twice=0, outside=0)
GRADIENTS, COMPLETIONS, LABELS = WELL.gradients, WELL.completions, LEARNED.labels
"""What the probe answered of healthy runs, and of the parts that rules ask about."""

Stepped = StepAnswer | Answer[StepAnswer]
"""What the step measured, or what became of it otherwise."""


def answers(step: Stepped, healthy: Stepped | None = None) -> Answers:
    """What the probes answered: of the step, and of a healthy model's where that was asked."""
    controls = {} if healthy is None else {"healthy_step": healthy}
    return {**IMPORTS, "step": step, **controls}


def well(**changed: Any) -> StepAnswer:
    """The step's answer of a healthy run, with these parts of it otherwise."""
    return replace(WELL, **changed)


def answered(**changed: Any) -> Answers:
    """The probes' answers of such a run."""
    return answers(well(**changed))


def trained(changed: Mapping[str, Any] | None = None, **labels: Any) -> Answers:
    """The same of an SFT run, with these parts of its labels otherwise."""
    return answers(replace(LEARNED, labels=replace(LABELS, **labels), **(changed or {})))


def raised(error: str, message: str, *frames: tuple[str, int, str, str]) -> Answer[StepAnswer]:
    """The step's answer where the trainer raised."""
    error_raised = Raised(error, message, frames)
    return Answer(STEP, "raised", reason=error_raised.line, raised=error_raised)
