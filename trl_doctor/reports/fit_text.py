"""The forecast as text: the answer, the peak, what makes it fit, the assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trl_doctor.core.plain import plain
from trl_doctor.core.sizes import GIB
from trl_doctor.facts.forecast.changes import Change, LargestBatch
from trl_doctor.facts.forecast.duration import Duration
from trl_doctor.facts.forecast.memory import ROOMY, Forecast, Phase
from trl_doctor.reports.fit_lines import counted, table, time_lines
from trl_doctor.reports.style import WIDTH, wrapped

NEVER = "This forecast has not yet been compared with a GPU."


NAMED = 0.002
"""The share of the peak from which a tensor is named."""


def render(
    name: str,
    forecast: Forecast,
    time: Duration | str,
    changes: Sequence[Change] | None,
    largest: LargestBatch | None,
    width: int = WIDTH,
) -> str:
    """The whole report: the answer, then where it comes from. `time` is why there is none where it
    is a text.
    """
    lines = [
        *wrapped(_title(name, forecast), width),
        *wrapped(plain(forecast.hardware.line), width),
        "",
        _answer(forecast),
        *_not_traced(forecast, width),
        *_engine(forecast, width),
        "",
        *table(forecast),
        "",
        *_peak(forecast),
        "",
        *time_lines(time, width),
    ]
    if changes is not None:
        lines += ["", *_changes(changes, forecast, width)]
    if largest is not None:
        lines += ["", _largest(largest)]
    lines += ["", *_assumptions(forecast, time, width), "", _verdict(forecast)]
    return "\n".join(lines)


def _title(name: str, forecast: Forecast) -> str:
    answer, sizes = forecast.answer, forecast.answer.sizes
    trained = "all" if sizes.trained == sizes.parameters else counted(sizes.trained)
    return (
        f"{plain(name)} · {answer.trainer} · {plain(answer.architecture)}, "
        f"{counted(sizes.parameters)} weights, {trained} trained"
    )


def _answer(forecast: Forecast) -> str:
    """Whether it fits, in the first sentence."""
    room, peak = forecast.hardware.card.memory / GIB, forecast.peak.total / GIB
    each = "each GPU has" if forecast.hardware.processes > 1 else "the GPU has"
    span = f"{forecast.peak.least / GIB:.1f} to {forecast.peak.most / GIB:.1f}"
    sentence = f"{forecast.peak.name} takes {peak:.1f} GiB ({span}), {each} {room:.1f}"
    if not forecast.fits:
        return f"IT DOES NOT FIT: {sentence}."
    return f"IT FITS: {sentence}." if forecast.roomy else f"IT FITS, BUT BARELY: {sentence}."


def _not_traced(forecast: Forecast, width: int) -> Iterator[str]:
    """Why figures of the model are not those of a whole traced step; nothing where they are."""
    sentence = ""
    if reason := forecast.answer.by_formula:
        sentence = (
            "ESTIMATED BY FORMULA from config.json: the step could not be traced, and the job may "
            f"fail in the same way. {plain(reason)}"
        )
    elif reason := forecast.answer.shortened:
        sentence = f"ESTIMATED IN PART: {plain(reason)}."
    if sentence:
        yield from wrapped(sentence, width)


def _engine(forecast: Forecast, width: int) -> Iterator[str]:
    """Whether vLLM can start; nothing if it has room."""
    engine = forecast.engine
    if engine is None or engine.requests >= 1:
        return
    has = "HAS" if engine.awake <= engine.weights else "MAY HAVE"
    sentence = (
        f"VLLM {has} NO ROOM for one request: its share ({engine.share:.0%}) is "
        f"{engine.awake / GIB:.1f} GiB, the weights are {engine.weights / GIB:.1f}. "
        "Raise vllm_gpu_memory_utilization, or use --tensor-parallel."
    )
    yield from wrapped(sentence, width)


def _peak(forecast: Forecast) -> Iterator[str]:
    peak: Phase = forecast.peak
    tensors = [
        tensor for tensor in peak.largest[:3] if tensor.bytes * tensor.count >= NAMED * peak.total
    ]
    title = "; its largest tensors beside the models' own:" if tensors else ""
    yield f"most is taken in: {peak.name}{title}"
    for tensor in tensors:
        shape = " × ".join(map(str, tensor.shape))
        many = f"{tensor.count} × " if tensor.count > 1 else ""
        size = f"{tensor.bytes * tensor.count / GIB:.2f} GiB"
        yield f"  {size:>10}  {tensor.part}: {many}[{shape}] {tensor.dtype}"
        if tensor.at:
            yield f"{'':14}{plain(tensor.at)}"


def _changes(changes: Sequence[Change], forecast: Forecast, width: int) -> Iterator[str]:
    if not changes:
        gpus = forecast.hardware
        name = gpus.card.name or "GPU"
        more = f"--gpu {2 * max(4, gpus.processes)}x{name} --zero 3"
        sentence = (
            f"no change that was tested makes it fit: try more GPUs ({more}) or a smaller model"
        )
        yield from wrapped(sentence, width, rest="  ")
        return
    yield "changes that make it fit, each tried in the same way:"
    for number, option in enumerate(changes, 1):
        sentence = f"{option.message}: {option.peak / GIB:.1f} GiB in {option.phase}; {option.cost}"
        yield from wrapped(sentence, width, f"  {number}. ", 5 * " ")
    if any(change.arguments for change in changes):
        yield "  --fix --unsafe-fixes writes the first of them into the run file"


def _largest(batch: LargestBatch) -> str:
    room = f"with {1 - ROOMY:.0%} of the memory free"
    if not batch.rows:
        return f"largest batch: no row fits {room}"
    return (
        f"largest batch {room}: per_device_train_batch_size\n  {batch.rows} takes "
        f"{batch.peak / GIB:.1f} GiB; {batch.next_rows} would take {batch.next_peak / GIB:.1f}"
    )


def _assumptions(forecast: Forecast, time: Duration | str, width: int) -> Iterator[str]:
    """What the figures rest on."""
    answer = forecast.answer
    rows = [shape for shape in answer.calls.get("forward", []) if len(shape) > 1]
    batch = f"batches of {rows[0][0]} × {rows[0][1]} tokens" if rows else "batches"
    source = "example rows of full length" if answer.rows_from == "made" else answer.rows_from
    assumptions = [
        _basis(forecast, batch, source),
        *forecast.by_rule,
        *(() if isinstance(time, str) else time.assumed),
    ]
    yield from wrapped("assumed: " + "; ".join(map(plain, assumptions)) + ".", width)
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
