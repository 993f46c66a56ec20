"""From the log of a traced step to memory by part, and from few layers to many."""

from __future__ import annotations

import pytest

from trl_doctor.probes.answers.fit import Sizes
from trl_doctor.probes.tracing.depth import More, ended, flops, matched, peaks, sizes
from trl_doctor.probes.tracing.log import BACKWARD, FORWARD, LOAD, STEP, Log, Storage
from trl_doctor.probes.tracing.replay import PARTS, Moment, Trace, replayed

WIDTH, WORDS = 10, 500
STATE = 2


def step(layers: int) -> Trace:
    """A step of a toy model: each layer keeps an activation and has a weight of the same size."""
    log = Log()
    by_number: dict[int, str] = {}

    def phase(name: str, label: str = "") -> None:
        log.segments.append((name, label))

    def make(size: int, op: str, part: str = "", shape: tuple[int, ...] = (1,)) -> int:
        segment = len(log.segments) - 1
        log.storages.append(Storage(size, op, shape, "float32", f"model.py:{op}", segment))
        number = len(log.storages)
        log.events.append((number, segment))
        if part:
            by_number[number] = part
        return number

    def free(number: int) -> None:
        log.events.append((-number, len(log.segments) - 1))

    phase(LOAD)
    for _ in range(layers):
        make(WIDTH, "weight", "weights")
    phase(FORWARD, "model called")
    make(3, "embedding")
    kept = []
    for _ in range(layers):
        inner = make(7, "inner")
        kept.append(make(WIDTH, "layer"))
        free(inner)
    log.flops[len(log.segments) - 1] = 100 * layers
    phase(FORWARD, "model done")
    logits = make(WORDS, "head", shape=(2, WORDS))
    phase(BACKWARD)
    free(logits)
    gradients = []
    for activation in reversed(kept):
        gradients.append(make(WIDTH, "gradient", "gradients"))
        free(activation)
    phase(STEP)
    for _ in range(layers):
        make(STATE * WIDTH, "state", "optimizer")
    for gradient in gradients:
        free(gradient)
    return replayed(log, by_number, {WORDS})


def test_storages_are_put_into_parts() -> None:
    trace = step(2)
    named = {trace.log.storages[number - 1].op: part for number, part in trace.parts.items()}
    assert named == {
        "weight": "weights", "embedding": "activations", "layer": "activations",
        "inner": "temporary", "head": "logits", "gradient": "gradients", "state": "optimizer",
    }  # fmt: skip
    assert dict(zip(PARTS, trace.end, strict=True))["optimizer"] == 2 * STATE * WIDTH


@pytest.mark.parametrize("layers", [4, 30])
def test_memory_of_all_layers_follows_from_two_and_three(layers: int) -> None:
    base, more = step(2), [More(step(3), layers - 2)]
    whole = step(layers)
    assert ended(base, more) == ended(whole, [])
    assert flops(base, more) == flops(whole, [])
    foretold = {(peak.phase, peak.without): peak for peak in peaks(base, more)}
    for peak in peaks(whole, []):
        estimate = foretold[peak.phase, peak.without]
        assert estimate.held == peak.held
        assert estimate.largest == peak.largest


def test_the_peak_moves_to_another_phase_with_depth() -> None:
    def highest(layers: int) -> str:
        candidates = [
            peak for peak in peaks(step(2), [More(step(3), layers - 2)]) if not peak.without
        ]
        return max(candidates, key=lambda peak: sum(peak.held.values())).phase

    assert highest(4) == FORWARD
    assert sum(peak.held["activations"] for peak in peaks(step(2), [More(step(3), 98)])) > 1000


def test_the_states_of_the_optimizer_are_there_from_the_second_step_on() -> None:
    for peak in peaks(step(2), []):
        assert peak.held["optimizer"] == (0 if peak.phase == LOAD else 2 * STATE * WIDTH)


def test_a_step_that_takes_another_course_with_depth_is_not_extrapolated() -> None:
    other = step(3)
    other.log.segments.append((FORWARD, "once more"))
    with pytest.raises(ValueError, match="another course"):
        peaks(step(2), [More(other, 1)])


def test_what_grows_with_depth_is_found_in_the_deeper_trace() -> None:
    def moments(layers: int) -> list[Moment]:
        parts = [("layer", 5)] * layers, [("loss", 9)], [("joined", layers)] * layers, [("end", 1)]
        signs = [sign for part in parts for sign in part]
        return [Moment(sign, (), place) for place, sign in enumerate(signs)]

    places = matched(moments(2), moments(3))
    assert places[0] == (0, 0) and places[1] == (1, 1)
    assert places[2] == (3, 3), "the loss"
    assert places[-1] == (7, 7), "the end"
    assert matched(moments(2), moments(2)) == [(place, place) for place in range(6)]


def test_sizes_grow_with_depth() -> None:
    def model(layers: int) -> Sizes:
        count = 50 + 7 * layers
        return Sizes(count, count, 5 * layers, 0, 5, "float32", {"weights": count})

    result = sizes(model(2), [(model(3), 26)])
    assert (result.parameters, result.linear, result.deepest) == (50 + 7 * 28, 5 * 28, 7)
    assert result.by_role == {"weights": 50 + 7 * 28}
