"""Results of a real step traced at full size: memory by phase and part, and operations."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.measured.formula import estimated
from trl_doctor.facts.model.quantisation import quantised
from trl_doctor.probes.answers.fit import FitAnswer

LABEL = "a step traced at full size"
COUNTED = ("gradient_accumulation_steps", "deepspeed", "fsdp")
"""Arguments that a small step does not use, and that change the memory."""

TRACED = ("grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward")


def fit(facts: Facts) -> FitAnswer:
    """The run's own step, on one GPU. Raises `Unavailable`."""
    return traced(facts, {}, half=False)


def traced(facts: Facts, changes: Mapping[str, Json], *, half: bool) -> FitAnswer:
    """The step of the run with some of its arguments changed; None removes an argument.

    With `half` the weights are in bfloat16, as DeepSpeed and quantisation keep them. A step that
    cannot be traced is estimated by formula. Raises `Unavailable`.
    """
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in TRACED:
        raise Unavailable(f"no step of {trainer.trainer} is traced: {', '.join(TRACED)} are")
    label = f"{LABEL} with {_shown(changes)}" if changes else LABEL
    question_ = question(facts, "fit", label, FitAnswer, like="cuda")
    for name in COUNTED:
        facts.run.arguments.get(name)  # raises where a script does not decide it
    stated = question_.request["arguments"]
    changed = {**(stated if isinstance(stated, dict) else {}), **changes}
    if half or quantised(facts):
        changed |= {"dtype": "bfloat16", "torch_dtype": "bfloat16"}
    arguments: dict[str, Json] = {
        name: value for name, value in changed.items() if value is not None
    }
    base = traced(facts, {}, half=half) if changes else None
    if base is not None and base.by_formula:
        return estimated(facts, arguments, base.by_formula)
    request = {**question_.request, "arguments": arguments, "device": "cpu"}
    answer = facts.probes.ask(replace(question_, request=request))
    if answer.value is None and base is None:
        return estimated(facts, arguments, answer.reason)
    return answer.measured()


def _shown(changes: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changes.items())
