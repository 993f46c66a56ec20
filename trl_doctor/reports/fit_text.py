"""The forecast as text: memory by part and phase, the peak, changes that make it fit, the time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from trl_doctor.core.plain import plain
from trl_doctor.facts.forecast.changes import Change, LargestBatch
from trl_doctor.facts.forecast.duration import Duration, Range
from trl_doctor.facts.forecast.memory import Forecast, Phase

GIB = 1024**3
WIDTH = 100
NEVER = "This forecast has not yet been compared with a GPU."
SHOWN = 0.05
"""GiB from which a part has a column of its own."""


def render(
    name: str,
    forecast: Forecast,
    time: Duration | str,
    changes: Sequence[Change] | None,
    largest: LargestBatch | None,
) -> str:
    """The whole report. `time` is why there is none where it is a text."""
    lines = [
        f"{plain(name)} · {forecast.answer.trainer} · {plain(forecast.answer.architecture)}, "
        f"{forecast.answer.sizes.parameters / 1e9:.2f} billion weights, "
        f"{forecast.answer.sizes.trained / 1e9:.3g} billion trained",
        plain(forecast.hardware.line),
        *_not_traced(forecast),
        "",
        *_table(forecast),
        "",
        *_peak(forecast),
        "",
        *_time(time),
    ]
    if changes is not None:
        lines += ["", *_changes(changes)]
    if largest is not None:
        lines += ["", _largest(largest)]
    lines += ["", *_assumptions(forecast, time), "", _verdict(forecast)]
    return "\n".join(lines)


def _not_traced(forecast: Forecast) -> Iterator[str]:
    """Why the figures of the model are from a formula; nothing where the step was traced."""
    if reason := forecast.answer.by_formula:
        said = (
            "ESTIMATED BY FORMULA from config.json: the step could not be traced, and the job may "
            f"fail in the same way. {plain(reason)}"
        )
        yield from textwrap.wrap(said, WIDTH)


def _table(forecast: Forecast) -> Iterator[str]:
    from tabulate import tabulate

    names = list(dict.fromkeys(part for phase in forecast.phases for part in phase.parts))
    sizes = {
        part: max(phase.parts.get(part, 0) for phase in forecast.phases) / GIB for part in names
    }
    shown = [part for part in names if sizes[part] >= SHOWN]
    rows = []
    for part in shown:
        rows.append([part, *(_gib(phase.parts.get(part, 0)) for phase in forecast.phases)])
    rest = [
        sum(phase.parts.get(p, 0) for p in names if p not in shown) for phase in forecast.phases
    ]
    if any(size / GIB >= SHOWN for size in rest):
        rows.append(["other", *map(_gib, rest)])
    rows.append(["total", *(_gib(phase.total) for phase in forecast.phases)])
    heads = ["GiB a GPU", *(phase.name.replace(" ", "\n") for phase in forecast.phases)]
    alignment = ["left", *["right"] * len(forecast.phases)]
    table = tabulate(rows, heads, tablefmt="simple", disable_numparse=True, colalign=alignment)
    yield from table.splitlines()


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}" if size / GIB >= SHOWN else "·"


def _peak(forecast: Forecast) -> Iterator[str]:
    peak: Phase = forecast.peak
    room = forecast.hardware.card.memory
    yield f"peak: {peak.name}, {peak.total / GIB:.1f} of {room / GIB:.1f} GiB"
    for tensor in peak.largest[:3]:
        shape = " × ".join(map(str, tensor.shape))
        many = f"{tensor.count} × " if tensor.count > 1 else ""
        size = f"{tensor.bytes * tensor.count / GIB:.2f} GiB"
        at = f", allocated at {plain(tensor.at)}" if tensor.at else ""
        yield f"  {size:>10}  {tensor.part}: {many}[{shape}] {tensor.dtype}{at}"


def _time(time: Duration | str) -> Iterator[str]:
    if isinstance(time, str):
        yield f"time: {plain(time)}"
        return
    step = time.step
    parts = f"training {_range(time.training)}"
    if time.generation:
        parts += f", generation {_range(time.generation)}"
    yield f"time: {_range(step)} an optimizer step ({parts})"
    an_hour = Range(3600 / step.most, 3600 / step.least)
    rates = [f"{_number(an_hour)} optimizer steps", f"{_number(an_hour.times(time.tokens))} tokens"]
    if time.completions:
        rates.append(f"{_number(an_hour.times(time.completions))} completions")
    yield f"  an hour: {', '.join(rates)}"
    if time.run and time.steps:
        yield (
            f"  the run: {time.steps:,} steps, {_range(time.run)}, "
            f"{_number(time.run.times(time.gpus / 3600))} GPU-hours"
        )
    else:
        yield "  the run: the number of steps is not known (max_steps)"
    kept = f", {time.checkpoints} kept" if time.checkpoints else ""
    yield f"  a checkpoint: {time.checkpoint / GIB:.1f} GiB on disk{kept}"


def _range(span: Range) -> str:
    unit, size = next(
        (name, size)
        for name, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("s", 0.0))
        if span.most >= 2 * size
    )
    scale = size or 1.0
    return f"{span.least / scale:.3g} to {span.most / scale:.3g} {unit}"


def _number(span: Range) -> str:
    return f"{_rounded(span.least)} to {_rounded(span.most)}"


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _changes(changes: Sequence[Change]) -> Iterator[str]:
    if not changes:
        yield "no change that was tested makes it fit"
        return
    yield "changes that make it fit, each tried in the same way:"
    for one in changes:
        yield f"  {one.message}: {one.peak / GIB:.1f} GiB in {one.phase}; {one.cost}"
    if any(one.arguments for one in changes):
        yield ("  `--fix --unsafe-fixes` writes the first of them into the run file")


def _largest(batch: LargestBatch) -> str:
    if not batch.rows:
        return "largest batch: one row does not fit"
    return (
        f"largest batch: per_device_train_batch_size {batch.rows} takes "
        f"{batch.peak / GIB:.1f} GiB; {batch.next_rows} would take {batch.next_peak / GIB:.1f}"
    )


def _assumptions(forecast: Forecast, time: Duration | str) -> Iterator[str]:
    """What the figures rest on."""
    answer = forecast.answer
    rows = [shape for shape in answer.calls.get("forward", []) if len(shape) > 1]
    batch = f"batches of {rows[0][0]} × {rows[0][1]} tokens" if rows else "batches"
    source = "example rows of full length" if answer.rows_from == "made" else answer.rows_from
    assumptions = [
        _basis(forecast, batch, source),
        "CUDA context and fragmentation are guesses",
        *forecast.by_rule,
        *(() if isinstance(time, str) else time.assumed),
    ]
    yield from textwrap.wrap("assumed: " + "; ".join(map(plain, assumptions)) + ".", WIDTH)
    yield NEVER


def _basis(forecast: Forecast, batch: str, source: str) -> str:
    answer = forecast.answer
    if answer.by_formula:
        return f"{answer.trainer} is not traced, {batch} (rows of full length)"
    return f"a step of the installed {answer.trainer} traced without data, {batch} ({source})"


def _verdict(forecast: Forecast) -> str:
    room, peak = forecast.hardware.card.memory, forecast.peak.total
    if forecast.fits:
        return f"verdict: fits, {(room - peak) / GIB:.1f} GiB of {room / GIB:.1f} left"
    return f"verdict: does not fit, {(peak - room) / GIB:.1f} GiB too much"
