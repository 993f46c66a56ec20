"""Answers of the probe that takes one training step."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.core.question import Answer, Question, Raised

from .candidate import CONFIG, RUN, TOKENIZER, candidate

STEP = Question("step", "one training step", {})
FILES = candidate(RUN, TOKENIZER, CONFIG)
SFT = candidate({**RUN, "trainer": "sft"}, TOKENIZER, CONFIG)
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
GRADIENTS: dict[str, Any] = {
    "parameters": 20,
    "norm": 0.8827,
    "finite": True,
    "without": [],
    "without_count": 0,
    "zero": [],
    "zero_count": 0,
    "dtypes": ["float32"],
    "adapters": 0,
    "adapters_idle": 0,
    "learning_rates": [1e-06],
    "optimizer": "AdamW",
    "moved": 1.0,
    "elements": 28832,
}
COMPLETIONS: dict[str, Any] = {
    "count": 4,
    "lengths": [9, 2, 2, 11],
    "limit": 24,
    "width": 11,
    "ended": 4,
    "different": 4,
    "turn_end": 6,
    "ends": [6],
    "after": 0,
    "trainer_eos": [6, 4],
    "stop_token_id": None,
    "takes_stop_token": False,
}
LABELS: dict[str, Any] = {
    "given": 2,
    "rows": 2,
    "max_length": 1024,
    "targets": [44, 43],
    "empty": 0,
    "turn_end": 2,
    "eos": 2,
    "last": [[13, 6, 3], [13, 6, 3]],
    "full": 0,
    "turn_end_id": 6,
    "eos_id": 6,
    "packed": False,
}
WELL: dict[str, Any] = {
    "trainer": "GRPOTrainer",
    "rows_from": "prompts.jsonl",
    "conversational": True,
    "script_pads": "never",
    "pad": 7,
    "loss": -0.0722,
    "not_finite": [],
    "log": {"completions/clipped_ratio": 0.0},
    "gradients": GRADIENTS,
    "completions": COMPLETIONS,
    "labels": None,
}
"""What the probe answered of a healthy run, as far as rules ask."""


Said = Mapping[str, Any] | Answer
"""What a probe measured, or what became of it otherwise."""


def answers(step: Said, healthy: Said | None = None) -> dict[str, Said]:
    """What the probes answered: of the step, and of a healthy model's where that was asked."""
    controls = {} if healthy is None else {"healthy_step": healthy}
    return {"libraries": {"failed": {}}, "step": step, **controls}


def well(**changed: Any) -> dict[str, Any]:
    """The step's answer of a healthy run, with these parts of it otherwise."""
    return {**WELL, **changed}


def answered(**changed: Any) -> dict[str, Said]:
    """The probes' answers of such a run."""
    return answers(well(**changed))


def trained(changed: Mapping[str, Any] | None = None, **labels: Any) -> dict[str, Said]:
    """The same of an SFT run, with these parts of its labels otherwise."""
    said = {"completions": None, "labels": {**LABELS, **labels}, "trainer": "SFTTrainer"}
    return answered(**said, **(changed or {}))


def raised(error: str, message: str, *frames: tuple[str, int, str, str]) -> Answer:
    """The step's answer where the trainer raised."""
    found = Raised(error, message, frames)
    return Answer(STEP, "raised", reason=found.line, raised=found)
