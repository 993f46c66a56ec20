"""How long a step and a run take, from operations, the GPU's rate and its memory bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.memory import Forecast
from trl_doctor.facts.forecast.parts import MASTER, WIDTHS
from trl_doctor.facts.totals import kept_checkpoints, steps
from trl_doctor.facts.training.generations import steps_a_generation, whole_argument
from trl_doctor.facts.vllm.kv_cache import kv_cache

COMPUTED = (0.25, 0.5)
"""The least and the most share of the GPU's peak rate that training reaches."""

READ = (0.4, 0.75)
"""The least and the most share of the GPU's bandwidth that decoding reaches."""

BETWEEN = {True: (0.002, 0.006), False: (0.02, 0.045)}
"""Seconds per token that are neither reading nor computing: with vLLM (True), and without."""

GENERATED = ("grpo", "rloo", "ppo")


class Range(Struct, frozen=True):
    """A minimum and a maximum."""

    least: float
    most: float

    def times(self, factor: float) -> Range:
        """Both bounds times a factor."""
        return Range(self.least * factor, self.most * factor)

    def plus(self, addend: Range) -> Range:
        """The sum of both bounds with those of another range."""
        return Range(self.least + addend.least, self.most + addend.most)


class Duration(Struct, frozen=True):
    """Seconds of training and of generation in an optimizer step; its tokens on all GPUs.

    `steps` is the number of steps of the run, None if it is not known. `checkpoint` is the size
    of one checkpoint in bytes, `checkpoints` the number that is kept.
    """

    training: Range
    generation: Range | None
    tokens: int
    completions: int
    steps: int | None
    gpus: int
    checkpoint: int
    checkpoints: int | None
    assumed: tuple[str, ...]

    @property
    def step(self) -> Range:
        """Seconds of one optimizer step."""
        return self.training.plus(self.generation) if self.generation else self.training

    @property
    def run(self) -> Range | None:
        """Seconds of the whole run; None if the steps are not known."""
        return self.step.times(self.steps) if self.steps else None


def duration(facts: Facts, run_forecast: Forecast) -> Duration:
    """The time of the run. Raises `Unavailable` if the card's rates are not known."""
    card, answer = run_forecast.hardware.card, run_forecast.answer
    if not card.half or not card.bandwidth:
        raise Unavailable("the rates of this GPU are not known: name it with --gpu")
    batches = max(1, int(facts.run.number("gradient_accumulation_steps") or 1))
    flops = sum(count for name, count in answer.flops.items() if name != "generation")
    half = facts.run.flag("bf16", True) or facts.run.flag("fp16") or run_forecast.hardware.deepspeed
    rate = card.half if half else card.single
    seconds = flops / answer.batches * batches / rate
    training = Range(seconds / COMPUTED[1], seconds / COMPUTED[0])
    processes = run_forecast.hardware.processes
    rows, length = _batch(answer.calls)
    trainer = facts.run.trainer
    online = not isinstance(trainer, Unavailable) and trainer.name in GENERATED
    generation = _generation(facts, run_forecast, rows, batches) if online else None
    kind = "16-bit" if half else "32-bit"
    assumed = [f"training reaches {COMPUTED[0]:.0%} to {COMPUTED[1]:.0%} of the card's {kind} rate"]
    if processes > 1:
        assumed.append("communication between GPUs is not counted")
    if online:
        engine = "vLLM" if facts.run.flag("use_vllm") else "transformers"
        assumed.append(
            f"decoding with {engine} reads weights and cache for every token, at {READ[0]:.0%} to "
            f"{READ[1]:.0%} of the bandwidth, and every completion takes its full length"
        )
    return Duration(
        training,
        generation,
        rows * length * batches * processes,
        rows * batches * processes if online else 0,
        steps(facts, _rows_a_step(facts, run_forecast)),
        processes,
        *checkpoints(facts, run_forecast)[:2],
        tuple(assumed),
    )


def _rows_a_step(facts: Facts, run_forecast: Forecast) -> int:
    """The rows of the data in one step. A forward pass of DPO has two for each of them."""
    each = whole_argument(facts, "per_device_train_batch_size", 8)
    batches = whole_argument(facts, "gradient_accumulation_steps", 1)
    return each * batches * run_forecast.hardware.processes


def _batch(calls: Mapping[str, tuple[tuple[int, ...], ...]]) -> tuple[int, int]:
    """The rows of one batch and the tokens of a row, in the first call of a forward pass."""
    shapes = [shape for shape in calls.get("forward", []) if len(shape) > 1]
    return (shapes[0][0], shapes[0][1]) if shapes else (1, 1)


def _generation(facts: Facts, forecast: Forecast, rows: int, batches: int) -> Range:
    """Seconds of a step of so many batches in which completions are generated.

    Each token reads all weights. What is generated at once may last for several steps.
    """
    lasts = steps_a_generation(facts)
    rows = max(1, int(rows * batches * lasts / whole_argument(facts, "num_iterations", 1)))
    answer, card = forecast.answer, forecast.hardware.card
    arguments = answer.arguments
    length = int(arguments.get("max_completion_length") or arguments.get("response_length") or 256)
    parallel = forecast.hardware.tensor_parallel
    fast = facts.run.flag("use_vllm")
    longest = max((shape[-1] for shape in answer.calls.get("forward", [])), default=length)
    cache = facts.at(facts.run.policy)[kv_cache].bytes(max(1, longest - length // 2), parallel)
    at_once = (
        max(1, min(rows * parallel, int(forecast.engine.requests))) if forecast.engine else rows
    )
    rounds = ceil(rows * parallel / at_once) if forecast.engine else 1
    width = 2 if fast or answer.sizes.dtype != "float32" else 4
    weights = width * answer.sizes.parameters / parallel
    seconds = (weights + at_once * cache) / card.bandwidth
    least = rounds * length * (seconds / READ[1] + BETWEEN[fast][0])
    most = rounds * length * (seconds / READ[0] + BETWEEN[fast][1])
    return Range(least, most).times(float(1 / lasts))


def checkpoints(facts: Facts, run_forecast: Forecast) -> tuple[int, int | None, str]:
    """Bytes of one checkpoint, how many exist at the end, and why.

    The number is None if the steps of the run are not known; the text then gives that reason.
    """
    sizes, run = run_forecast.answer.sizes, facts.run
    size = sizes.trained * WIDTHS.get(sizes.dtype, 2)
    if not run.flag("save_only_model"):
        half = run_forecast.hardware.deepspeed and sizes.dtype != "float32"
        size += sizes.trained * MASTER if half else run_forecast.answer.held["optimizer"]
    return size, *kept_checkpoints(facts, _rows_a_step(facts, run_forecast))
