"""What the real libraries showed about a subject, in one line of the report."""

from __future__ import annotations

from collections.abc import Callable

from trl_doctor.facts import Facts
from trl_doctor.facts.library.imports import imported
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.measured.full import measured
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.measured.termination import termination
from trl_doctor.facts.model.quantisation import quantised

TINY = 1e-6
"""A loss this small is zero except for rounding."""


def _libraries(facts: Facts) -> str:
    return "all import" if facts[imported] else ""


def _rewards(facts: Facts) -> str:
    functions = facts[rewards].functions
    if all(function.state == "not called" for function in functions):
        return ""
    return "; ".join(function.line for function in functions)


def _generation(facts: Facts) -> str:
    return facts[termination].line


def _step(facts: Facts) -> str:
    step = facts[stepped]
    model = f"{step.layers}-layer {step.architecture}, {step.vocabulary:,} tokens"
    parts = [f"one step of {step.trainer} on a {model}"]
    loss = step.loss
    parts.append("no loss" if loss is None else f"loss {loss if abs(loss) > TINY else 0:.3g}")
    if step.rows_from == "made":
        parts[0] += ", on example rows"
    if completions := step.completions:
        parts.append(
            f"{completions.ended - completions.after} of {completions.count} completions ended"
        )
    if step.labels and step.labels.targets is not None:
        parts.append(f"{sum(step.labels.targets)} tokens to learn")
    if rewards := step.rewards_left_out:
        parts.append(f"without the reward {', '.join(rewards)}")
    if kind := quantised(facts):
        parts.append(f"without quantization: the real one is {kind}")
    return ", ".join(parts)


def _vllm(facts: Facts) -> str:
    measures = facts[engine].measured()
    if measures.versions is None or measures.sampling is None:
        return ""
    tested = [stop for stop in measures.stops or () if stop.state == "tested"]
    stopped = sum(question.finish == "stop" for question in tested)
    parts = [f"the engine of {measures.versions.distribution} {measures.versions.vllm}"]
    parts += [f"stops at {stopped} of {len(tested)} ends"] if tested else []
    if plain := measures.sampling.plain:
        parts.append(f"log-probabilities within a factor of {plain.factor.mean:.3f}")
    return ", ".join(parts)


def _hardware(facts: Facts) -> str:
    return facts[measured].line


LINES: dict[str, Callable[[Facts], str]] = {
    "generation": _generation,
    "libraries": _libraries,
    "rewards": _rewards,
    "training step": _step,
    "vllm": _vllm,
    "hardware": _hardware,
}
