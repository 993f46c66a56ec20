"""From traces of a model with few layers to what it holds with all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from ..answers.fit import Peak, Sizes, Tensors
from .log import LOAD
from .replay import PARTS, PLACES, Held, Moment, Trace, there

WEIGHED = (
    frozenset[str](),
    frozenset({"optimizer"}),
    frozenset({"optimizer", "gradients"}),
    frozenset({"optimizer", "gradients", "weights"}),
    frozenset({"optimizer", "gradients", "weights", "reference", "reward", "value"}),
    frozenset({"activations"}),
)
"""What may be spread over several GPUs: each time the peak may be at another moment."""

LARGEST = 8

PERSISTENT = ("weights", "reference", "reward", "value", "gradients", "optimizer")
"""Parts whose single tensors nobody asks for: they are the model's own."""


@dataclass(frozen=True)
class More:
    """A trace with one layer more of a kind, and how many more of it the whole model has."""

    trace: Trace
    times: int


@dataclass(frozen=True)
class _At:
    """A moment of the base trace, what is held then at full depth, its like in deeper traces."""

    held: Held
    base: Moment
    others: tuple[Moment, ...]


def ended(base: Trace, more: Sequence[More]) -> dict[str, int]:
    """What is held when all is over: weights and the optimizer's states."""
    whole = _deep(base.end, [one.trace.end for one in more], more)
    return dict(zip(PARTS, whole))


def peaks(base: Trace, more: Sequence[More]) -> list[Peak]:
    """The peaks of every phase at full depth, for every way of spreading parts over GPUs.

    The optimizer's states are there in every phase but the first: from the second step on.
    """
    states = ended(base, more)["optimizer"]
    best: dict[tuple[str, frozenset[str]], tuple[int, _At]] = {}
    for phase, at in _moments(base, more):
        held = list(at.held)
        if phase != LOAD:
            held[PLACES["optimizer"]] = states
        at = _At(tuple(held), at.base, at.others)
        for without in WEIGHED:
            size = sum(one for name, one in zip(PARTS, held) if name not in without)
            if size > best.get((phase, without), (-1, at))[0]:
                best[phase, without] = size, at
    return [
        Peak(phase, tuple(sorted(without)), dict(zip(PARTS, at.held)), _largest(base, more, at))
        for (phase, without), (_, at) in best.items()
    ]


def flops(base: Trace, more: Sequence[More]) -> dict[str, int]:
    """Floating-point operations by phase at full depth."""
    found: dict[str, int] = {}
    for trace, times in [(base, 1 - sum(one.times for one in more))] + [
        (one.trace, one.times) for one in more
    ]:
        for segment, count in trace.log.flops.items():
            phase = trace.log.segments[segment][0]
            found[phase] = found.get(phase, 0) + times * count
    return found


def sizes(base: Sizes, more: Sequence[tuple[Sizes, int]]) -> Sizes:
    """The sizes of the models at full depth."""

    def deep(name: str) -> int:
        first = int(getattr(base, name))
        return first + sum(times * (int(getattr(one, name)) - first) for one, times in more)

    roles = {
        role: first + sum(times * (one.by_role[role] - first) for one, times in more)
        for role, first in base.by_role.items()
    }
    counts = {name: deep(name) for name in ("parameters", "trained", "linear")}
    layers = [one.parameters - base.parameters for one, _ in more]
    largest = base.linear_largest
    return Sizes(
        deepest=max(layers, default=base.parameters),
        linear_largest=largest,
        dtype=base.dtype,
        by_role=roles,
        **counts,
    )


def _deep(base: Held, others: Sequence[Held], more: Sequence[More]) -> Held:
    found = list(base)
    for held, one in zip(others, more):
        for place, size in enumerate(held):
            found[place] += one.times * (size - base[place])
    return tuple(max(0, size) for size in found)


def _moments(base: Trace, more: Sequence[More]) -> Iterator[tuple[str, _At]]:
    """Every moment of the base trace as it is at full depth, in the first layers and the last."""
    same = all(_order(one.trace) == _order(base) for one in more)
    for number, moments in enumerate(base.moments):
        phase = base.log.segments[number][0]
        others = [one.trace.moments[number] if same else [] for one in more]
        if same:
            yield from ((phase, at) for at in _aligned(moments, others, more))
    if not same:
        raise ValueError("the step takes another course with more layers")


def _order(trace: Trace) -> list[tuple[str, str]]:
    return trace.log.segments


def _aligned(base: list[Moment], others: list[list[Moment]], more: Sequence[More]) -> Iterator[_At]:
    """The moments of a segment with their like in the deeper ones, in the first and last layers."""
    places = [matched(base, other) for other in others]
    for place, moment in enumerate(base):
        for end in (0, 1):
            found = tuple(other[each[place][end]] for other, each in zip(others, places) if other)
            if len(found) == len(others):
                held = _deep(moment.held, [one.held for one in found], more)
                yield _At(held, moment, found)


def matched(base: list[Moment], other: list[Moment]) -> list[tuple[int, int]]:
    """Where in a deeper segment each moment is: in its first layers, and in its last.

    What comes before the additional layer is at the same place from the segment's beginning, and
    what comes after it at the same place from its end. What lies between has its like there, or is
    taken with the moment before it.
    """
    size, longer = len(base), len(other)
    ops = [[moment.sign[0] for moment in one] for one in (base, other)]
    if ops[0] == ops[1]:
        return [(place, place) for place in range(size)]
    one, two = ([moment.sign for moment in moments] for moments in (base, other))
    head, tail = _common(one, two), _common(one[::-1], two[::-1])
    between = {} if head + tail >= size else _between(one, two, head, tail)
    found: list[tuple[int, int]] = []
    for place in range(size):
        near = [place] if place < head else []
        far = [longer - size + place] if size - place <= tail else []
        both = near + far or [between.get(place, found[-1][1] if found else 0)]
        found.append((both[0], both[-1]))
    return found


def _between(one: list[Any], two: list[Any], head: int, tail: int) -> dict[int, int]:
    """The places of what is alike between two sequences' common beginnings and ends."""
    parts = one[head : len(one) - tail], two[head : len(two) - tail]
    blocks = SequenceMatcher(None, *parts, autojunk=False).get_matching_blocks()
    return {
        head + block.a + step: head + block.b + step
        for block in blocks
        for step in range(block.size)
    }


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items are alike from the beginning."""
    for place, (left, right) in enumerate(zip(one, other)):
        if left != right:
            return place
    return min(len(one), len(other))


def _largest(base: Trace, more: Sequence[More], at: _At) -> tuple[Tensors, ...]:
    """The tensors that take most, those alike together, as they are at full depth."""
    alive = there(base, at.base.event)
    counts: Counter[Any] = Counter(alive)
    for one, moment in zip(more, at.others):
        deeper = there(one.trace, moment.event)
        for kind in {*alive, *deeper}:
            counts[kind] += one.times * (deeper[kind] - alive[kind])
    held = [
        (kind, count) for kind, count in counts.items() if count > 0 and kind[0] not in PERSISTENT
    ]
    held.sort(key=lambda one: one[1] * one[0][4], reverse=True)
    return tuple(
        Tensors(part, site, shape, dtype, size, count)
        for (part, site, shape, dtype, size), count in held[:LARGEST]
    )
