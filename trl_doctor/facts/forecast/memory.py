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
from trl_doctor.facts.forecast.guesses import (
    ASLEEP,
    COMMUNICATION,
    CONTEXT,
    FRAGMENTED,
    WORKING,
    worded,
)
from trl_doctor.facts.forecast.hardware import Hardware, Spread, hardware
from trl_doctor.facts.forecast.parts import GENERATION, SYNC
from trl_doctor.facts.measured.fit import traced
from trl_doctor.facts.measured.given import known_arguments
from trl_doctor.facts.model.quantisation import quantised
from trl_doctor.probes.answers.fit import FitAnswer, Tensors

ROOMY = 0.95
"""A larger share of the GPU's memory is exceeded by another length or by fragmentation."""

LOAD, SCORING, SAVE = "load", "log-probabilities", "save"
PHASES = (LOAD, GENERATION, SCORING, "forward", "backward", "optimizer step", SYNC, SAVE)
RESTING = ("weights", "reference", "reward", "value", "optimizer")


class Phase(Struct, frozen=True):
    """The most that one GPU holds in a phase: bytes by part, and the largest tensors.

    `least` and `most` are the bytes of all parts with the least and the most of what is guessed.
    """

    name: str
    parts: Mapping[str, int]
    largest: tuple[Tensors, ...] = ()
    least: int = 0
    most: int = 0

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
    arguments = {**known_arguments(facts), **changes}
    half = gpus.deepspeed and _is_true(arguments.get("bf16", True))
    answer = traced(facts, changes, half=half)
    engine = engine_memory(facts, arguments, gpus, answer)
    bits = _bits(quantised(facts))
    optim = str(arguments.get("optim") or "")
    nested = facts.run.flag("use_bnb_nested_quant")
    serves = _is_true(arguments.get("use_vllm"))
    gathers = parts.gathered_in(answer.sizes, arguments, serves=serves)
    plan = parts.Plan(gpus, answer.sizes, bits, optim, half, nested, gathers)
    phases = tuple(_phases(answer, plan, engine, serves=serves))
    return Forecast(gpus, phases, answer, engine, tuple(_rules(plan, answer, engine)))


def _phases(
    answer: FitAnswer, plan: parts.Plan, engine: EngineMemory | None, *, serves: bool
) -> Iterator[Phase]:
    """The phases. Where vLLM `serves` completions, here or elsewhere, training only rests then."""
    best: dict[str, Phase] = {}
    for peak in answer.peaks:
        sizes = dict(peak.held)
        if peak.phase == GENERATION and (engine or serves):
            sizes = {name: size for name, size in sizes.items() if name in RESTING}
        phase = _phase(peak.phase, sizes, plan, engine, peak.largest)
        if peak.phase not in best or phase.total > best[peak.phase].total:
            best[peak.phase] = phase
    resting = {name: answer.held[name] for name in RESTING}
    if engine or serves:
        best[SYNC] = _phase(SYNC, resting, plan, engine)
    best[SAVE] = _phase(SAVE, resting, plan, engine)
    if SCORING not in answer.calls:
        best.pop(SCORING, None)
    yield from (best[name] for name in PHASES if name in best)


def _phase(
    name: str,
    sizes: Mapping[str, int],
    plan: parts.Plan,
    engine: EngineMemory | None,
    largest: tuple[Tensors, ...] = (),
) -> Phase:
    """The bytes by part on one GPU, with the engine, the CUDA context and fragmentation."""
    by_part = parts.spread(sizes, name, plan)
    traced_, shares = sum(by_part.values()), _largest_of_gpu(largest, sizes, by_part)
    guessed = [(FRAGMENTED, traced_, "fragmentation"), (CONTEXT, 1, "CUDA context")]
    if plan.hardware.processes > 1:
        guessed.append((COMMUNICATION, 1, "NCCL"))
    if engine and engine.sleeps and name not in (GENERATION, SYNC):
        guessed.append((ASLEEP, 1, "engine"))
    elif engine:
        by_part["engine"] = engine.awake
    certain = sum(by_part.values())
    least = certain + sum(int(times * guess.least) for guess, times, _ in guessed)
    most = certain + sum(int(times * guess.most) for guess, times, _ in guessed)
    by_part |= {part: int(times * guess.usual) for guess, times, part in guessed}
    held = {part: size for part, size in by_part.items() if size}
    return Phase(name, held, shares, least, most)


def _largest_of_gpu(
    largest: tuple[Tensors, ...], whole: Mapping[str, int], by_part: Mapping[str, int]
) -> tuple[Tensors, ...]:
    """The tensors that are as large on one of the GPUs: not those that are shared out."""
    parts = {part for part, size in whole.items() if 0 < size <= by_part.get(part, 0)}
    return tuple(tensor for tensor in largest if tensor.part in parts)


def _rules(plan: parts.Plan, answer: FitAnswer, engine: EngineMemory | None) -> Iterator[str]:
    """The parts that were guessed or computed by rules instead of traced, one sentence each."""
    guesses = [worded("CUDA context", CONTEXT), worded("fragmentation", FRAGMENTED)]
    if plan.hardware.processes > 1:
        guesses.append(worded("NCCL's buffers", COMMUNICATION))
    if engine and engine.sleeps:
        guesses.append(worded("a sleeping engine", ASLEEP))
    yield f"guessed, with the range that was seen: {', '.join(guesses)}"
    if engine:
        yield (
            f"vLLM takes {engine.share:.0%} of the GPU, of which cache is what weights and "
            f"{worded('guessed', WORKING)} leave"
        )
    if answer.by_formula:
        yield "all parts of the model by formula from config.json, not traced"
    if plan.bits:
        yield f"the base in {plan.bits} bits: by the sizes of bitsandbytes, not traced"
    if "8bit" in plan.optim:
        yield f"the states of {plan.optim}: by the sizes of its library, not traced"
    elif "optim" in answer.changed and answer.changed["optim"][1] == "adamw_torch":
        yield f"the states of {plan.optim} are not known: counted as those of adamw_torch"
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
