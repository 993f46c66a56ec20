"""Changes that make a run fit, each traced like the run itself, and the largest batch that fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.hardware import Spread
from trl_doctor.facts.forecast.memory import ROOMY, Forecast, forecast, with_changes
from trl_doctor.facts.forecast.parts import GENERATION
from trl_doctor.facts.library import accepted
from trl_doctor.facts.vllm.engine import language_model

MOST = 4
"""The most changes that are shown."""

BATCH, TIMES = "per_device_train_batch_size", "gradient_accumulation_steps"
ONLINE = ("grpo", "rloo", "ppo")
UNPAIRED = 8
"""The default batch size of transformers."""


SHARED: dict[Spread, str] = {
    "ddp": "",
    "zero-1": "the optimizer's states are shared out",
    "zero-2": "states and gradients are shared out",
    "zero-3": "weights, too: every layer is gathered before it is used",
}
"""The ways to spread training, the one that shares least first, and what each costs."""


class Change(Struct, frozen=True):
    """Arguments to set, as a verb phrase and as values; the peak in bytes with them, and the cost.

    `arguments` is empty if something other than the run file must change.
    """

    message: str
    arguments: Mapping[str, Json]
    cost: str
    peak: int
    phase: str


class LargestBatch(Struct, frozen=True):
    """The largest batch with some room and its peak in bytes, and the next larger; 0 for none."""

    rows: int
    peak: int
    next_rows: int
    next_peak: int


def changes(facts: Facts) -> tuple[Change, ...]:
    """The smallest changes with which the run fits with some room, the cheapest first.

    Empty if no change is enough.

    Raises `Unavailable` if the run itself has no forecast.
    """
    current = facts[forecast]
    if current.fits:
        return ()
    sufficient: list[Change] = []
    together: dict[str, Json] = {}
    costs: list[str] = []
    for arguments, cost in _steps(facts, current):
        alone = _tried(facts, current, arguments, cost)
        if alone:
            sufficient.append(alone)
        together |= arguments
        costs.append(cost)
        if len(costs) > 1 and not sufficient:
            combined = _tried(facts, current, together, "; ".join(costs))
            if combined:
                sufficient.append(combined)
        if len(sufficient) >= MOST:
            break
    return (*sufficient, *_spread(facts, current))


def _spread(facts: Facts, current: Forecast) -> Iterator[Change]:
    """The least that DeepSpeed must share between the GPUs, if there is more than one."""
    if current.hardware.processes == 1 or current.hardware.spread not in SHARED:
        return
    kinds = tuple(SHARED)
    for kind in kinds[kinds.index(current.hardware.spread) + 1 :]:
        try:
            changed = with_changes(facts, {}, kind)
        except Unavailable:
            return
        if changed.roomy:
            message = f"train with DeepSpeed, zero_stage {kind[-1]} in the accelerate file"
            yield Change(message, {}, SHARED[kind], changed.peak.total, changed.peak.name)
            return


def _tried(
    facts: Facts, current: Forecast, arguments: Mapping[str, Json], cost: str
) -> Change | None:
    try:
        changed = with_changes(facts, arguments)
    except Unavailable:
        return None
    if not changed.roomy:
        return None
    slower = _slower(current, changed)
    settings = ", ".join(f"{name} {_shown(value)}" for name, value in arguments.items())
    return Change(
        f"set {settings}", dict(arguments), cost + slower, changed.peak.total, changed.peak.name
    )


def _slower(current: Forecast, changed: Forecast) -> str:
    """By how much the computation for one row grows, for a message; empty if it is not known."""
    before, after = (_work(forecast_) for forecast_ in (current, changed))
    return f" ({after / before - 1:+.0%} computation)" if before and after else ""


def _work(forecast_: Forecast) -> float:
    rows = sum(shape[0] for shape in forecast_.answer.calls.get("forward", []) if shape)
    flops = sum(count for name, count in forecast_.answer.flops.items() if name != "generation")
    return flops / rows if rows else 0.0


def _steps(facts: Facts, current: Forecast) -> Iterator[tuple[dict[str, Json], str]]:
    """Possible changes, the cheapest first, with their cost."""
    run = facts.run
    if current.engine and not current.engine.sleeps:
        yield {"vllm_enable_sleep_mode": True}, "the engine wakes for every generation"
    if current.hardware.spread == "zero-3" and current.peak.name == GENERATION:
        yield {"ds3_gather_for_generation": False}, "generation gathers every layer for every token"
    sizes, key = current.answer.sizes, _dtype(facts)
    if sizes.trained < sizes.parameters and sizes.dtype == "float32" and key:
        yield {key: "bfloat16"}, "the weights that are not trained are kept in 16 bits"
    if not run.flag("gradient_checkpointing", _checkpoints(current)):
        yield {"gradient_checkpointing": True}, "forward passes are computed twice"
    rows, times = _batch(current), int(run.number(TIMES) or 1)
    for factor in (2, 4, 8, 16):
        if rows % factor == 0 and rows >= factor:
            yield (
                {BATCH: rows // factor, TIMES: times * factor},
                "the same batch in smaller parts: slower, not different",
            )
    if "8bit" not in str(run.arguments.get("optim")) and current.answer.held["optimizer"]:
        yield {"optim": "adamw_bnb_8bit"}, "the optimizer's states are rounded; needs bitsandbytes"
    if current.answer.sizes.trained == current.answer.sizes.parameters:
        yield _adapter(facts), "an adapter is trained instead of the weights"
    length = run.number("max_completion_length")
    trainer = run.trainer
    online = not isinstance(trainer, Unavailable) and trainer.name in ONLINE
    if online and length and length >= 128:
        yield {"max_completion_length": int(length) // 2}, "longer completions are cut off"


def _adapter(facts: Facts) -> dict[str, Json]:
    """An adapter on all layers. TRL's reward trainer needs its kind, and PEFT no dropout on experts
    that are parameters instead of layers.
    """
    run = facts.run
    adapter: dict[str, Json] = {"use_peft": True, "lora_target_modules": "all-linear"}
    if not isinstance(run.trainer, Unavailable) and run.trainer.name == "reward":
        adapter["lora_task_type"] = "SEQ_CLS"
    if any("experts" in key for key in language_model(facts.at(run.policy))[1]):
        adapter["lora_dropout"] = 0.0
    return adapter


def _dtype(facts: Facts) -> str:
    """The argument that sets the type of the weights; empty if it is set or not known."""
    names = ("dtype", "torch_dtype")
    if any(facts.run.arguments.get(name) for name in names) or isinstance(
        facts.run.trainer, Unavailable
    ):
        return ""
    fields = accepted(facts.environment, facts.run.trainer).fields
    return next((name for name in names if name in fields), "")


def _checkpoints(current: Forecast) -> bool:
    """Whether the run uses gradient checkpointing: its backward pass then takes more than twice as
    long as the forward pass.
    """
    forward, backward = (
        current.answer.flops.get("forward", 0),
        current.answer.flops.get("backward", 0),
    )
    return backward > 2.3 * forward


def _batch(current: Forecast) -> int:
    batch = current.answer.arguments.get(BATCH, UNPAIRED)
    return batch if isinstance(batch, int) else UNPAIRED


def _shown(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def largest_batch(facts: Facts, most: int = 4096) -> LargestBatch:
    """The largest batch that leaves some room: estimated from two, then traced step by step.

    Raises `Unavailable`.
    """
    peaks: dict[int, int] = {}
    room = int(ROOMY * facts[forecast].hardware.card.memory)

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
