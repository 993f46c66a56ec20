"""Memory of each GPU by part and phase: a traced step, spread over the GPUs, with the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

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
"""Estimates: the bytes of a CUDA context with its libraries, and of NCCL's buffers."""

FRAGMENTED = 0.04
"""Estimate: the share of torch's memory that its allocator cannot use between tensors."""

ROOMY = 0.95
"""A larger share of the GPU's memory is exceeded by another length or by fragmentation."""

LOAD, GENERATION, SCORING = "load", "generation", "log-probabilities"
SYNC, SAVE = "weight sync", "save"
PHASES = (LOAD, GENERATION, SCORING, "forward", "backward", "optimizer step", SYNC, SAVE)
RESTING = ("weights", "reference", "reward", "value", "optimizer")


class Phase(Struct, frozen=True):
    """The most that one GPU holds in a phase: bytes by part, and the largest tensors."""

    name: str
    parts: Mapping[str, int]
    largest: tuple[Tensors, ...] = ()

    @property
    def total(self) -> int:
        """The bytes of all parts together."""
        return sum(self.parts.values())


class Forecast(Struct, frozen=True):
    """The memory of each GPU of a run by phase, and what it was computed from."""

    hardware: Hardware
    phases: tuple[Phase, ...]
    answer: FitAnswer
    engine: EngineMemory | None
    by_rule: tuple[str, ...]

    @property
    def peak(self) -> Phase:
        """The phase with the most memory."""
        return max(self.phases, key=lambda phase: phase.total)

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
    gpus = facts[hardware]
    if spread:
        gpus = replace(gpus, spread=spread, spread_from="tried", offloaded=())
    arguments = {**facts.run.arguments, **changes}
    half = gpus.deepspeed and _is_true(arguments.get("bf16", True))
    answer = traced(facts, changes, half=half)
    engine = engine_memory(facts, arguments, gpus, answer)
    bits = _bits(quantised(facts))
    optim = str(arguments.get("optim") or "")
    nested = facts.run.flag("use_bnb_nested_quant")
    plan = parts.Plan(gpus, answer.sizes, bits, optim, half, nested)
    serves = _is_true(arguments.get("use_vllm"))
    phases = tuple(_phases(answer, plan, engine, serves=serves))
    return Forecast(gpus, phases, answer, engine, tuple(_rules(plan, answer)))


def _phases(
    answer: FitAnswer, plan: parts.Plan, engine: EngineMemory | None, *, serves: bool
) -> Iterator[Phase]:
    """The phases. Where vLLM `serves` completions, here or elsewhere, training only rests then."""
    best: dict[str, Phase] = {}
    for peak in answer.peaks:
        sizes = dict(peak.held)
        if peak.phase == GENERATION and (engine or serves):
            sizes = {name: size for name, size in sizes.items() if name in RESTING}
        phase = Phase(peak.phase, _parts_of_gpu(sizes, peak.phase, plan, engine), peak.largest)
        if peak.phase not in best or phase.total > best[peak.phase].total:
            best[peak.phase] = phase
    resting = {name: answer.held[name] for name in RESTING}
    if engine:
        best[SYNC] = Phase(SYNC, _parts_of_gpu(resting, SYNC, plan, engine))
    best[SAVE] = Phase(SAVE, _parts_of_gpu(resting, SAVE, plan, engine))
    if SCORING not in answer.calls:
        best.pop(SCORING, None)
    yield from (best[name] for name in PHASES if name in best)


def _parts_of_gpu(
    sizes: Mapping[str, int], phase: str, plan: parts.Plan, engine: EngineMemory | None
) -> dict[str, int]:
    """The bytes by part on one GPU, with the engine, the CUDA context and fragmentation."""
    by_part = parts.spread(sizes, phase, plan)
    by_part["fragmentation"] = int(FRAGMENTED * sum(by_part.values()))
    if engine:
        by_part["engine"] = engine.awake if phase in (GENERATION, SYNC) else engine.asleep
    several = plan.hardware.processes > 1
    by_part["CUDA context"] = CONTEXT + (COMMUNICATION if several else 0)
    return {name: size for name, size in by_part.items() if size}


def _rules(plan: parts.Plan, answer: FitAnswer) -> Iterator[str]:
    """The parts that were computed by rules instead of traced, one sentence each."""
    if answer.by_formula:
        yield "all parts of the model by formula from config.json, not traced"
    if plan.bits:
        yield f"the base in {plan.bits} bits: by the sizes of bitsandbytes, not traced"
    if "8bit" in plan.optim:
        yield f"the states of {plan.optim}: by the sizes of its library, not traced"
    elif "optim" in answer.changed and answer.changed["optim"][1] == "adamw_torch":
        yield f"the states of {plan.optim}: taken for those of adamw_torch"
    if plan.hardware.spread != "alone":
        yield f"{plan.hardware.spread} over {plan.hardware.processes} GPUs: by arithmetic"
    for name, (stated, used, reason) in answer.changed.items():
        if used is None and reason == "it needs a GPU, and the step runs on the CPU":
            yield f"{name}: {stated} is not traced: it needs a GPU"


def _bits(quantisation: str) -> int:
    """The bits of bitsandbytes; 0 if the base is not quantised. Raises `Unavailable`."""
    if not quantisation:
        return 0
    bits, _, method = quantisation.partition("-bit ")
    if method != "bitsandbytes" or bits not in ("4", "8"):
        raise Unavailable(f"a {quantisation} base is not forecast: only bitsandbytes is")
    return int(bits)


def _is_true(value: Json) -> bool:
    return value is True or str(value).lower() in ("true", "yes", "1")
