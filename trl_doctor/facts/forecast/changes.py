"""What makes a run fit, each change traced like the run itself, and the largest batch that does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.hardware import Spread
from trl_doctor.facts.forecast.memory import Forecast, forecast, with_changes
from trl_doctor.facts.library import accepted

MOST = 4
"""Changes that are shown."""

BATCH, TIMES = "per_device_train_batch_size", "gradient_accumulation_steps"
ONLINE = ("grpo", "rloo", "ppo")
UNPAIRED = 8
"""The usual batch of transformers."""


SHARED: dict[Spread, str] = {
    "ddp": "",
    "zero-1": "the optimizer's states are shared out",
    "zero-2": "states and gradients are shared out",
    "zero-3": "weights, too: every layer is gathered before it is used",
}
"""How training is spread, the least shared out first, and what it costs."""


@dataclass(frozen=True)
class Change:
    """Arguments to set, as a verb phrase and as values; what then is the peak, and the cost.

    There are no arguments where it is not the run file that has to change.
    """

    message: str
    arguments: Mapping[str, Json]
    cost: str
    peak: int
    phase: str


@dataclass(frozen=True)
class LargestBatch:
    """The largest batch that fits with its peak, and the next one with its own; 0 for none."""

    rows: int
    peak: int
    next_rows: int
    next_peak: int


def changes(facts: Facts) -> tuple[Change, ...]:
    """The smallest changes that make the run fit with some room, the cheapest first.

    Empty where none does.

    Raises `Unavailable` where the run itself cannot be forecast.
    """
    now = facts[forecast]
    if now.fits:
        return ()
    found: list[Change] = []
    together: dict[str, Json] = {}
    costs: list[str] = []
    for arguments, cost in _steps(facts, now):
        alone = _tried(facts, now, arguments, cost)
        if alone:
            found.append(alone)
        together |= arguments
        costs.append(cost)
        if len(costs) > 1 and not found:
            both = _tried(facts, now, together, "; ".join(costs))
            if both:
                found.append(both)
        if len(found) >= MOST:
            break
    return (*found, *_spread(facts, now))


def _spread(facts: Facts, now: Forecast) -> Iterator[Change]:
    """The least that DeepSpeed must share out, where there is more than one GPU."""
    if now.hardware.processes == 1 or now.hardware.spread not in SHARED:
        return
    kinds = tuple(SHARED)
    for kind in kinds[kinds.index(now.hardware.spread) + 1 :]:
        try:
            then = with_changes(facts, {}, kind)
        except Unavailable:
            return
        if then.roomy:
            message = f"train with DeepSpeed, zero_stage {kind[-1]} in the accelerate file"
            yield Change(message, {}, SHARED[kind], then.peak.total, then.peak.name)
            return


def _tried(facts: Facts, now: Forecast, arguments: Mapping[str, Json], cost: str) -> Change | None:
    try:
        then = with_changes(facts, arguments)
    except Unavailable:
        return None
    if not then.roomy:
        return None
    slower = _slower(now, then)
    said = ", ".join(f"{name} {_shown(value)}" for name, value in arguments.items())
    return Change(f"set {said}", dict(arguments), cost + slower, then.peak.total, then.peak.name)


def _slower(now: Forecast, then: Forecast) -> str:
    """By how much more is computed for a row."""
    before, after = (_work(one) for one in (now, then))
    return f" ({after / before - 1:+.0%} computation)" if before and after else ""


def _work(one: Forecast) -> float:
    rows = sum(shape[0] for shape in one.answer.calls.get("forward", []) if shape)
    flops = sum(count for name, count in one.answer.flops.items() if name != "generation")
    return flops / rows if rows else 0.0


def _steps(facts: Facts, now: Forecast) -> Iterator[tuple[dict[str, Json], str]]:
    """Changes in the order in which they cost more."""
    run = facts.run
    if now.engine and now.engine.asleep == now.engine.awake:
        yield {"vllm_enable_sleep_mode": True}, "the engine wakes for every generation"
    sizes, key = now.answer.sizes, _dtype(facts)
    if sizes.trained < sizes.parameters and sizes.dtype == "float32" and key:
        yield {key: "bfloat16"}, "the weights that are not trained are kept in 16 bits"
    if not run.flag("gradient_checkpointing", _checkpoints(now)):
        yield {"gradient_checkpointing": True}, "forward passes are computed twice"
    rows, times = _batch(now), int(run.number(TIMES) or 1)
    for factor in (2, 4, 8, 16):
        if rows % factor == 0 and rows >= factor:
            yield (
                {BATCH: rows // factor, TIMES: times * factor},
                "the same batch in smaller parts: slower, not different",
            )
    if "8bit" not in str(run.arguments.get("optim")) and now.answer.held["optimizer"]:
        yield {"optim": "adamw_bnb_8bit"}, "the optimizer's states are rounded; needs bitsandbytes"
    if now.answer.sizes.trained == now.answer.sizes.parameters:
        yield (
            {"use_peft": True, "lora_target_modules": "all-linear"},
            "an adapter is trained instead of the weights",
        )
    length = run.number("max_completion_length")
    trainer = run.trainer
    online = not isinstance(trainer, Unavailable) and trainer.name in ONLINE
    if online and length and length >= 128:
        yield {"max_completion_length": int(length) // 2}, "longer completions are cut off"


def _dtype(facts: Facts) -> str:
    """The argument that sets the type of the weights; empty where it is set or not known."""
    names = ("dtype", "torch_dtype")
    if any(facts.run.arguments.get(name) for name in names) or isinstance(
        facts.run.trainer, Unavailable
    ):
        return ""
    known = accepted(facts.environment, facts.run.trainer).fields
    return next((name for name in names if name in known), "")


def _checkpoints(now: Forecast) -> bool:
    """Whether layers are computed again in the backward pass: then that takes more than twice."""
    ahead, back = now.answer.flops.get("forward", 0), now.answer.flops.get("backward", 0)
    return back > 2.3 * ahead


def _batch(now: Forecast) -> int:
    said = now.answer.arguments.get(BATCH, UNPAIRED)
    return said if isinstance(said, int) else UNPAIRED


def _shown(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def largest_batch(facts: Facts, most: int = 4096) -> LargestBatch:
    """The largest batch that fits: foretold from two batches, then traced and walked to.

    Raises `Unavailable`.
    """
    peaks: dict[int, int] = {}
    room = facts[forecast].hardware.card.memory

    def peak(rows: int) -> int:
        if rows not in peaks:
            peaks[rows] = with_changes(facts, {BATCH: rows}).peak.total
        return peaks[rows]

    if peak(_least(facts)) > room:
        return LargestBatch(0, 0, _least(facts), peak(_least(facts)))
    low, high = _least(facts), 2 * _least(facts)
    while peak(high) <= room and high < most:
        low, high = high, 2 * high
    unit = _least(facts)
    while high - low > unit:
        slope = (peaks[high] - peaks[low]) / (high - low)
        guess = low + int((room - peaks[low]) / slope) if slope > 0 else (low + high) // 2
        guess = min(max(guess // unit * unit, low + unit), high - unit)
        low, high = (guess, high) if peak(guess) <= room else (low, guess)
    return LargestBatch(low, peaks[low], high, peaks[high])


def _least(facts: Facts) -> int:
    """The smallest batch that is tried: a group needs two completions."""
    trainer = facts.run.trainer
    online = not isinstance(trainer, Unavailable) and trainer.name in ("grpo", "rloo")
    return 2 if online else 1
