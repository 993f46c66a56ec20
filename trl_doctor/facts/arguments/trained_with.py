"""The numbers that a run trains with: its own, or else the defaults of the target's trl."""

from __future__ import annotations

from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.library import Accepted

USUAL = {
    **{"per_device_train_batch_size": 8.0, "gradient_accumulation_steps": 1.0},
    **{"max_grad_norm": 1.0, "adam_beta1": 0.9, "adam_beta2": 0.999},
}
"""What these arguments are where the run does not say them, in every config of TRL."""

HALF = ("bf16", "fp16")
"""Arguments that are on or off: 1 or 0."""


def trained_with(facts: Facts, argument: str) -> float | None:
    """The value that the run trains with; None if it is not known."""
    run = facts.run
    if argument in HALF and run.flag(f"{argument}_full_eval"):
        return 1.0  # what transformers compares DeepSpeed's settings with
    if argument in HALF and argument in run.arguments:
        return float(run.flag(argument))
    if argument not in run.arguments:
        return _default(facts, argument)
    return run.number(argument)


def _default(facts: Facts, argument: str) -> float | None:
    if argument in USUAL:
        return USUAL[argument]
    known_trainer = facts.get(known_to_trl)
    if known_trainer is None or facts.environment.version("trl") is None:
        return None
    accepted = known_trainer[1]
    field = accepted.fields.get(argument)
    if argument == "bf16" and field is not None and field.default == "None":
        return float(not facts.run.flag("fp16"))  # since trl 0.19 it is on unless fp16 is
    return default_number(accepted, argument)


def default_number(accepted: Accepted, argument: str) -> float | None:
    """The number that an argument of TRL is by default; None if that is none."""
    field = accepted.fields.get(argument)
    value = field.literal if field else None
    return float(value) if isinstance(value, int | float) else None
