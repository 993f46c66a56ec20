"""The lines of a forecast's text about numbers: the table of memory, and the time."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.plain import plain
from trl_doctor.core.sizes import GIB
from trl_doctor.facts.forecast.duration import Duration, Range
from trl_doctor.facts.forecast.memory import Forecast
from trl_doctor.reports.style import wrapped

SHOWN = 0.05
"""GiB from which a part has a line of its own."""

ORDER = (
    "weights", "reference", "reward", "value", "gradients", "optimizer", "weight copies",
    "gathered", "activations", "logits", "kv cache", "temporary", "communication", "engine",
    "fragmentation", "NCCL", "CUDA context",
)  # fmt: skip
"""The order of the parts: models, what training adds, what a batch adds, the rest."""

HEADS = {
    "generation": "generate",
    "log-probabilities": "log\nprobs",
    "optimizer step": "optim.\nstep",
}
"""Short names of phases, so that the table has at most 80 columns."""


def table(forecast: Forecast) -> Iterator[str]:
    """The memory of each GPU by part and phase, at most 80 columns wide."""
    parts = {part for phase in forecast.phases for part in phase.parts}
    names = sorted(parts, key=lambda part: ORDER.index(part) if part in ORDER else len(ORDER))
    most = {part: max(phase.parts.get(part, 0) for phase in forecast.phases) for part in names}
    shown = [part for part in names if most[part] / GIB >= SHOWN]
    rows = [
        [part, *(_gib(phase.parts.get(part, 0)) for phase in forecast.phases)] for part in shown
    ]
    rest = [
        sum(phase.parts.get(part, 0) for part in names if part not in shown)
        for phase in forecast.phases
    ]
    if any(size / GIB >= SHOWN for size in rest):
        rows.append(["other", *map(_gib, rest)])
    rows.append(["total", *(_gib(phase.total) for phase in forecast.phases)])
    heads = [HEADS.get(phase.name, phase.name.replace(" ", "\n")) for phase in forecast.phases]
    yield from _aligned(["GiB a GPU", *heads], rows)


def _aligned(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Names to the left, figures to the right; a head may have two lines."""
    above = [[head.partition("\n")[place] for head in heads] for place in (0, 2)]
    lines = [*(line for line in above if any(line)), *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    for number, line in enumerate(lines):
        if number == len(lines) - len(rows):
            yield "  ".join("-" * width for width in widths)
        cells = [line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]
        yield "  ".join(cells).rstrip()


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}" if size / GIB >= SHOWN else "·"


def time_lines(time: Duration | str, width: int) -> Iterator[str]:
    """The time of a step and of the run, and the disk of a checkpoint."""
    if isinstance(time, str):
        yield from wrapped(f"time: {plain(time)}", width, rest="  ")
        return
    step = time.step
    parts = f"training {_range(time.training)}"
    if time.generation:
        parts += f", generation {_range(time.generation)}"
    yield from wrapped(f"time: {_range(step)} an optimizer step ({parts})", width, rest="  ")
    an_hour = Range(3600 / step.most, 3600 / step.least)
    rates = [f"{_number(an_hour)} optimizer steps", f"{_number(an_hour.times(time.tokens))} tokens"]
    if time.completions:
        rates.append(f"{_number(an_hour.times(time.completions))} completions")
    yield from wrapped(f"an hour: {', '.join(rates)}", width, "  ", "    ")
    if time.run and time.steps:
        yield (
            f"  the run: {time.steps:,} steps, {_range(time.run)}, "
            f"{_number(time.run.times(time.gpus / 3600))} GPU-hours"
        )
    else:
        yield "  the run: the number of steps is not known (max_steps)"
    note = f", {time.checkpoints} kept" if time.checkpoints else ""
    yield f"  a checkpoint: {time.checkpoint / GIB:.1f} GiB on disk{note}"


LEAST = 0.01
"""Seconds and GPU-hours below this are not counted out."""


def _range(span: Range) -> str:
    if span.most < LEAST:
        return f"less than {LEAST} s"
    unit, size = next(
        (name, size)
        for name, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("s", 0.0))
        if span.most >= 2 * size
    )
    scale = size or 1.0
    return f"{span.least / scale:.3g} to {span.most / scale:.3g} {unit}"


def _number(span: Range) -> str:
    if span.most < LEAST:
        return f"less than {LEAST}"
    return f"{counted(span.least)} to {counted(span.most)}"


def counted(value: float) -> str:
    """A number in three digits: `7.24 billion`, `3,584`."""
    for size, name in ((1e15, ""), (1e12, " trillion"), (1e9, " billion"), (1e6, " million")):
        if value >= size:
            return f"{value / size:,.3g}{name}" if name else f"{value:.3g}"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{max(value, 0.01):.2g}"
