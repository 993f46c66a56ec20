"""What one real step of the real trainer does on a small model of this candidate."""

from __future__ import annotations

from typing import Any

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.model_files import model_config
from trl_doctor.probes.answers.step import StepAnswer


def step(facts: Facts) -> Answer[StepAnswer]:
    """One step with the run's own arguments, rows and rewards. Raises `Unavailable`."""
    return facts.probes.ask(question(facts, "step", "one training step", StepAnswer))


def control(facts: Facts) -> Answer[StepAnswer]:
    """The same step on a healthy model with default arguments. Raises `Unavailable`."""
    label = "one training step of a healthy model"
    return facts.probes.ask(question(facts, "healthy_step", label, StepAnswer))


def stepped(facts: Facts) -> StepAnswer:
    """What the step measured; `Unavailable` with the reason where it did not get that far."""
    return facts[step].measured()


def installation_at_fault(facts: Facts) -> Answer[StepAnswer] | None:
    """The control's answer where a healthy model fails just like this one; else None.

    None also where the step did not fail, or nothing is known of the control.
    """
    answer = facts[step]
    if answer.state not in ("raised", "died"):
        return None
    healthy = facts.get(control)
    return healthy if healthy is not None and same_failure(answer, healthy) else None


def same_failure(one: Answer[Any], other: Answer[Any]) -> bool:
    """Whether two answers tell of the same failure: its error at the same place or in words."""
    if one.state != other.state:
        return False
    if one.raised is None or other.raised is None:
        return one.reason == other.reason
    same_words = one.raised.line == other.raised.line
    return one.raised.type == other.raised.type and (same_words or one.raised.at == other.raised.at)


def quantised(facts: Facts) -> str:
    """How the run's weights are quantised, which the small model's are not: `4-bit gptq`.

    Empty where they are not. The run's own arguments come before what config.json says.
    """
    run = facts.run
    for bits in (4, 8):
        if run.flag(f"load_in_{bits}bit"):
            return f"{bits}-bit bitsandbytes"
    given = run.arguments.get("model_init_kwargs")
    loading = given.get("quantization_config") or given if isinstance(given, dict) else None
    config = facts.get(model_config)
    return _kind(loading) or _kind(config.get("quantization_config") if config else None)


def _kind(said: Json) -> str:
    """What a `quantization_config` makes of weights; empty where it is none."""
    if not isinstance(said, dict):
        return ""
    loaded = next((bits for bits in (4, 8) if said.get(f"load_in_{bits}bit")), None)
    method = said.get("quant_method") or ("bitsandbytes" if loaded else None)
    bits = loaded or said.get("bits")
    if not isinstance(method, str):
        return ""
    return f"{bits}-bit {method}" if isinstance(bits, int) else method
