"""Measurements of the real libraries for charts: lengths, labels, distances, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trl_doctor.checkup.measurement import Measurement
from trl_doctor.core.question import Answer
from trl_doctor.core.sizes import GIB

if TYPE_CHECKING:
    from trl_doctor.probes.answers.engine import EngineAnswer
    from trl_doctor.probes.answers.full import FullAnswer
    from trl_doctor.probes.answers.step import StepAnswer

MOST_BARS = 12
"""More values than this are gathered into as many ranges."""


def measurements(answers: Iterable[Answer[Any]]) -> Iterator[Measurement]:
    """What was measured, in the order of the answers."""
    for answer in answers:
        if (draw := DRAWN.get(answer.question.probe)) and answer.value is not None:
            yield from draw(answer.value)


def _step(answer: StepAnswer) -> Iterator[Measurement]:
    if completions := answer.completions:
        stopped = completions.ended - completions.after
        note = f"{stopped} of {completions.count} stopped by themselves"
        if completions.after:
            note += f"; {completions.after} went on after the end of the turn, which is not counted"
        bars = ranges(completions.lengths)
        yield Measurement(
            "Completion lengths", "tokens", bars, "histogram", completions.limit, note
        )
    labels = answer.labels
    if labels and labels.targets:
        note = f"the end of the turn is a target in {labels.turn_end} of {labels.rows} rows"
        bars = ranges(labels.targets)
        yield Measurement("Target tokens of a row", "tokens", bars, "histogram", None, note)


def _engine(answer: EngineAnswer) -> Iterator[Measurement]:
    sampling = answer.sampling
    pairs = (
        ((sampling.plain, "plain sampling"), (sampling.with_arguments, "the run's sampling"))
        if (sampling)
        else ()
    )
    for distances, title in pairs:
        if distances:
            gaps = distances.quantiles
            bars = tuple((f"{float(share):.0%} of tokens", gaps[share]) for share in sorted(gaps))
            mean = distances.factor.mean
            note = f"{distances.tokens} tokens, {distances.precision}; mean factor {mean:.4f}"
            head = f"Engine against trainer: distance of log-probabilities, {title}"
            yield Measurement(head, "nats, at most", bars, "bars", None, note)


def _full(answer: FullAnswer) -> Iterator[Measurement]:
    parts = {name: float(size) for name, size in answer.parts.items() if size}
    rest = max(0.0, answer.peak - sum(parts.values()))
    values = tuple((*parts.items(), ("activations and the rest", rest)))
    in_gib = tuple((name, value / GIB) for name, value in values)
    limit = answer.total / GIB if answer.total else None
    note = f"peak on {answer.device}"
    yield Measurement("GPU memory by part", "GiB", in_gib, "parts", limit, note)
    steps = tuple((f"step {n}", took) for n, took in enumerate(answer.seconds_by_step, 1))
    yield Measurement("Time of each step", "seconds", steps)


def ranges(values: Sequence[float]) -> tuple[tuple[str, float], ...]:
    """How many values are in each range: one range a value where there are few."""
    different = sorted(set(values))
    if len(different) <= MOST_BARS:
        return tuple((f"{number:g}", float(values.count(number))) for number in different)
    low, width = different[0], (different[-1] - different[0]) / MOST_BARS
    counts = [0] * MOST_BARS
    for value in values:
        counts[min(int((value - low) / width), MOST_BARS - 1)] += 1
    return tuple(
        (f"{low + n * width:.0f}–{low + (n + 1) * width:.0f}", float(count))
        for n, count in enumerate(counts)
    )


DRAWN: dict[str, Callable[[Any], Iterator[Measurement]]] = {
    "step": _step,
    "engine": _engine,
    "full": _full,
}
