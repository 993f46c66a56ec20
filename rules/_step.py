"""What the rules about the training step share: who stepped, and answers for their examples."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.dry_run.step import installation_at_fault, step
from trl_doctor.facts import Facts, Unavailable
from trl_doctor.probing import Answer, Question, Raised

from ._examples import CONFIG, RUN, TOKENIZER, candidate

LIBRARIES = ("trl/", "transformers/", "peft/", "accelerate/")


def trainer(facts: Facts) -> str:
    """`GRPOTrainer of trl 0.24.0`."""
    named = facts.run.trainer
    name = "the trainer" if isinstance(named, Unavailable) else named.trainer
    return f"{name} of trl {facts.environment.version('trl')}"


def own_failure(facts: Facts) -> Answer | None:
    """The step's answer where it failed, and a healthy model does not; None where it went well.

    Raises `Unavailable` where it was refused, wanted the network, or the installation is at fault.
    """
    answer = facts[step]
    if answer.state == "refused" or (answer.raised and answer.raised.network):
        raise Unavailable(f"one training step: {answer.reason}")
    if installation_at_fault(facts):
        raise Unavailable(f"a healthy model dies of it as well: {answer.reason}")
    return None if answer.state == "answered" else answer


def calls(answer: Answer, most: int = 3) -> tuple[str, ...]:
    """The last calls inside the libraries, innermost last, with their source."""
    frames = answer.raised.frames if answer.raised else ()
    inside = [one for one in frames if any(f"/{name}" in one[0] for name in LIBRARIES)] or frames
    return tuple(
        f"{_from_library(file)}:{line}: {code:.120}" for file, line, _, code in inside[-most:]
    )


def _from_library(file: str) -> str:
    """A source file's path from its library on, wherever that is installed."""
    starts = [file.rfind(f"/{name}") for name in LIBRARIES]
    return file[max(starts) + 1 :] if max(starts) >= 0 else file.rpartition("site-packages/")[2]


def repeated(answer: Answer) -> tuple[str, ...]:
    """The command that repeats it, where it was kept."""
    return (f"again: {answer.repeat}",) if answer.repeat else ()


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
