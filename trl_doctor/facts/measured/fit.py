"""What tracing a real step at full size found: memory by phase and part, and its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.measured.step import quantised
from trl_doctor.probes.answers.fit import FitAnswer

LABEL = "a step traced at full size"
COUNTED = ("gradient_accumulation_steps", "deepspeed", "fsdp")
"""Arguments that a small step does without, and that decide about memory."""

TRACED = ("grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward")


def fit(facts: Facts) -> FitAnswer:
    """The run's own step, on one GPU. Raises `Unavailable`."""
    return traced(facts, {}, half=False)


def traced(facts: Facts, changes: Mapping[str, Json], *, half: bool) -> FitAnswer:
    """The step of the run with some of its arguments changed; None takes an argument away.

    With `half` the weights are in bfloat16, as DeepSpeed and quantisation keep them. Raises
    `Unavailable`.
    """
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in TRACED:
        raise Unavailable(f"no step of {trainer.trainer} is traced: {', '.join(TRACED)} are")
    said = f"{LABEL} with {_shown(changes)}" if changes else LABEL
    asked = question(facts, "fit", said, FitAnswer, like="cuda")
    for name in COUNTED:
        facts.run.arguments.get(name)  # raises where a script leaves it open
    own = asked.request["arguments"]
    given = {**(own if isinstance(own, dict) else {}), **changes}
    if half or quantised(facts):
        given |= {"dtype": "bfloat16", "torch_dtype": "bfloat16"}
    arguments: dict[str, Json] = {name: one for name, one in given.items() if one is not None}
    request = {**asked.request, "arguments": arguments, "device": "cpu"}
    return facts.probes.ask(replace(asked, request=request)).measured()


def _shown(changes: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changes.items())
