"""Memory of each GPU by part and phase: a traced step, spread over the GPUs, with the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast import parts
from trl_doctor.facts.forecast.engine_memory import EngineMemory, engine_memory
from trl_doctor.facts.forecast.hardware import Hardware, Spread, hardware
from trl_doctor.facts.measured.fit import traced
from trl_doctor.facts.measured.step import quantised
from trl_doctor.probes.answers.fit import FitAnswer, Tensors

GIB = 1024**3
CONTEXT, COMMUNICATION = int(0.6 * GIB), int(0.4 * GIB)
"""What a CUDA context with its libraries holds, and NCCL's buffers beside it, at a guess."""

FRAGMENTED = 0.04
"""Of what torch holds: what its allocator cannot use between tensors, at a guess."""

ROOMY = 0.95
"""Of the GPU's memory: more than that another length or a fragmented heap exceeds."""

LOAD, GENERATION, SCORING = "load", "generation", "log-probabilities"
SYNC, SAVE = "weight sync", "save"
PHASES = (LOAD, GENERATION, SCORING, "forward", "backward", "optimizer step", SYNC, SAVE)
RESTING = ("weights", "reference", "reward", "value", "optimizer")


@dataclass(frozen=True)
class Phase:
    """The most that one GPU holds in a phase: bytes by part, and the largest tensors."""

    name: str
    parts: Mapping[str, int]
    largest: tuple[Tensors, ...] = ()

    @property
    def total(self) -> int:
        """All parts together."""
        return sum(self.parts.values())


@dataclass(frozen=True)
class Forecast:
    """The memory of each GPU of a run, phase by phase, and what it was computed from."""

    hardware: Hardware
    phases: tuple[Phase, ...]
    answer: FitAnswer
    engine: EngineMemory | None
    by_rule: tuple[str, ...]

    @property
    def peak(self) -> Phase:
        """The phase that takes most."""
        return max(self.phases, key=lambda one: one.total)

    @property
    def fits(self) -> bool:
        """Whether the peak is within the GPU's memory."""
        return self.peak.total <= self.hardware.card.memory

    @property
    def roomy(self) -> bool:
        """Whether it leaves room for what a forecast cannot know."""
        return self.peak.total <= ROOMY * self.hardware.card.memory


def forecast(facts: Facts) -> Forecast:
    """The forecast of the run as it is. Raises `Unavailable`."""
    return with_changes(facts, {})


def with_changes(
    facts: Facts, changes: Mapping[str, Json], spread: Spread | None = None
) -> Forecast:
    """The forecast of the run with some of its arguments changed, or spread in another way.

    Raises `Unavailable`.
    """
    there = facts[hardware]
    if spread:
        there = replace(there, spread=spread, spread_from="tried", offloaded=())
    given = {**facts.run.arguments, **changes}
    half = there.deepspeed and _yes(given.get("bf16", True))
    answer = traced(facts, changes, half=half)
    engine = engine_memory(facts, given, there, answer)
    bits = _bits(quantised(facts))
    optim = str(given.get("optim") or "")
    nested = facts.run.flag("use_bnb_nested_quant")
    plan = parts.Plan(there, answer.sizes, bits, optim, half, nested)
    phases = tuple(_phases(answer, plan, engine))
    return Forecast(there, phases, answer, engine, tuple(_rules(plan, answer)))


def _phases(answer: FitAnswer, plan: parts.Plan, engine: EngineMemory | None) -> Iterator[Phase]:
    best: dict[str, Phase] = {}
    for peak in answer.peaks:
        held = dict(peak.held)
        if peak.phase == GENERATION and engine:
            held = {name: size for name, size in held.items() if name in RESTING}
        one = Phase(peak.phase, _whole(held, peak.phase, plan, engine), peak.largest)
        if peak.phase not in best or one.total > best[peak.phase].total:
            best[peak.phase] = one
    resting = {name: answer.held[name] for name in RESTING}
    if engine:
        best[SYNC] = Phase(SYNC, _whole(resting, SYNC, plan, engine))
    best[SAVE] = Phase(SAVE, _whole(resting, SAVE, plan, engine))
    if SCORING not in answer.calls:
        best.pop(SCORING, None)
    yield from (best[name] for name in PHASES if name in best)


def _whole(
    held: Mapping[str, int], phase: str, plan: parts.Plan, engine: EngineMemory | None
) -> dict[str, int]:
    """What is held on one GPU, with the engine, the CUDA context and what lies idle."""
    found = parts.spread(held, phase, plan)
    found["fragmentation"] = int(FRAGMENTED * sum(found.values()))
    if engine:
        found["engine"] = engine.awake if phase in (GENERATION, SYNC) else engine.asleep
    several = plan.hardware.processes > 1
    found["CUDA context"] = CONTEXT + (COMMUNICATION if several else 0)
    return {name: size for name, size in found.items() if size}


def _rules(plan: parts.Plan, answer: FitAnswer) -> Iterator[str]:
    """What was computed by rule and not traced, a sentence each."""
    if plan.bits:
        yield f"the base in {plan.bits} bits: by the sizes of bitsandbytes, not traced"
    if "8bit" in plan.optim:
        yield f"the states of {plan.optim}: two bytes a weight, not traced"
    if plan.hardware.spread != "alone":
        yield f"{plan.hardware.spread} over {plan.hardware.processes} GPUs: by arithmetic"
    for name, (given, used, why) in answer.changed.items():
        if used is None and why == "it needs a GPU, and the step runs on the CPU":
            yield f"{name}: {given} is not traced: it needs a GPU"


def _bits(said: str) -> int:
    """The bits of bitsandbytes; 0 where the base is not quantised by it. Raises `Unavailable`."""
    if not said:
        return 0
    bits, _, method = said.partition("-bit ")
    if method != "bitsandbytes" or bits not in ("4", "8"):
        raise Unavailable(f"a {said} base is not forecast: only bitsandbytes is")
    return int(bits)


def _yes(value: Json) -> bool:
    return value is True or str(value).lower() in ("true", "yes", "1")
