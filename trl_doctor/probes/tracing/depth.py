"""From traces of a model with few layers to what it holds with all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from ..answers.fit import Peak, Sizes, Tensors
from .log import GENERATION, LOAD, SCORING
from .replay import PARTS, PLACES, BytesByPart, Moment, Trace, held_storages

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
"""Parts whose single tensors are not listed: they belong to the model itself."""


@dataclass(frozen=True)
class More:
    """A trace with one layer more of a kind, and how many more of it the whole model has."""

    trace: Trace
    times: int


@dataclass(frozen=True)
class _At:
    """A moment of the base trace, what is held then at full depth, its like in deeper traces."""

    held: BytesByPart
    base: Moment
    others: tuple[Moment, ...]


def ended(base: Trace, more: Sequence[More]) -> dict[str, int]:
    """The bytes that are held after the step: weights and the optimizer's states."""
    sizes = _deep(base.end, [deeper.trace.end for deeper in more], more)
    return dict(zip(PARTS, sizes))


def peaks(base: Trace, more: Sequence[More]) -> list[Peak]:
    """The peaks of every phase at full depth, for every way of spreading parts over GPUs.

    From the second step on, the optimizer's states exist in every phase but the first.
    """
    states = ended(base, more)["optimizer"]
    best: dict[tuple[str, frozenset[str]], tuple[int, _At]] = {}
    for phase, at in _moments(base, more):
        sizes_ = list(at.held)
        if phase != LOAD:
            sizes_[PLACES["optimizer"]] = states
        at = _At(tuple(sizes_), at.base, at.others)
        for without in WEIGHED:
            size = sum(bytes_ for name, bytes_ in zip(PARTS, sizes_) if name not in without)
            if size > best.get((phase, without), (-1, at))[0]:
                best[phase, without] = size, at
    return [
        Peak(phase, tuple(sorted(without)), dict(zip(PARTS, at.held)), _largest(base, more, at))
        for (phase, without), (_, at) in best.items()
    ]


def flops(base: Trace, more: Sequence[More]) -> dict[str, int]:
    """Floating-point operations by phase at full depth."""
    by_phase: dict[str, int] = {}
    for trace, times in [(base, 1 - sum(deeper.times for deeper in more))] + [
        (deeper.trace, deeper.times) for deeper in more
    ]:
        for segment, count in trace.log.flops.items():
            phase = trace.log.segments[segment][0]
            by_phase[phase] = by_phase.get(phase, 0) + times * count
    return by_phase


def sizes(base: Sizes, more: Sequence[tuple[Sizes, int]]) -> Sizes:
    """The sizes of the models at full depth."""

    def deep(name: str) -> int:
        first = int(getattr(base, name))
        return first + sum(times * (int(getattr(deeper, name)) - first) for deeper, times in more)

    roles = {
        role: first + sum(times * (deeper.by_role[role] - first) for deeper, times in more)
        for role, first in base.by_role.items()
    }
    counts = {name: deep(name) for name in ("parameters", "trained", "linear")}
    layers = [deeper.parameters - base.parameters for deeper, _ in more]
    largest = base.linear_largest
    return Sizes(
        deepest=max(layers, default=base.parameters),
        linear_largest=largest,
        dtype=base.dtype,
        by_role=roles,
        embedded=base.embedded,
        **counts,
    )


def _deep(base: BytesByPart, others: Sequence[BytesByPart], more: Sequence[More]) -> BytesByPart:
    total = list(base)
    for deeper, entry in zip(others, more):
        for place, size in enumerate(deeper):
            total[place] += entry.times * (size - base[place])
    return tuple(max(0, size) for size in total)


def _moments(base: Trace, more: Sequence[More]) -> Iterator[tuple[str, _At]]:
    """Every moment of the base trace at full depth, in the first layers and in the last."""
    same_order = all(_order(deeper.trace) == _order(base) for deeper in more)
    for number, moments in enumerate(base.moments):
        phase = base.log.segments[number][0]
        deeper_moments = [deeper.trace.moments[number] if same_order else [] for deeper in more]
        if same_order:
            without = phase in (GENERATION, SCORING)
            aligned = _aligned(moments, deeper_moments, more, single=without and len(more) == 1)
            most = _most_temporary(moments, deeper_moments, more) if without else None
            yield from ((phase, _at_most(at, most)) for at in aligned)
    if not same_order:
        raise ValueError("the step takes another course with more layers")


def _most_temporary(base: list[Moment], others: list[list[Moment]], more: Sequence[More]) -> int:
    """The most that a segment without gradients needs in addition, at full depth.

    Every layer gives back what it needed. A moment whose match was taken from the middle of another
    layer would make it grow with each layer.
    """
    first, *deeper = [
        max((moment.held[PLACES["temporary"]] for moment in moments), default=0)
        for moments in (base, *others)
    ]
    grown = first + sum(entry.times * (size - first) for size, entry in zip(deeper, more))
    return max(grown, first, *deeper)


def _at_most(at: _At, most: int | None) -> _At:
    """A moment with so much of temporary memory at most."""
    sizes = list(at.held)
    if most is not None:
        sizes[PLACES["temporary"]] = min(sizes[PLACES["temporary"]], most)
    return _At(tuple(sizes), at.base, at.others)


def _order(trace: Trace) -> list[tuple[str, str]]:
    return trace.log.segments


def _aligned(
    base: list[Moment], others: list[list[Moment]], more: Sequence[More], *, single: bool
) -> Iterator[_At]:
    """The moments of a segment with their matches in deeper ones, in the first and last layers.

    Where all layers are alike and none keeps anything (`single`), the first is compared with the
    first: it holds a tensor less than the others, the input of its own that each of them has.
    """
    places = [matched(base, deeper) for deeper in others]
    for place, moment in enumerate(base):
        first = single and place < 2 * len(base) - len(others[0])
        for end in (0,) if first else (0, 1):
            matches = tuple(
                deeper[positions[place][end]] for deeper, positions in zip(others, places) if deeper
            )
            if len(matches) == len(others):
                total = _deep(moment.held, [match.held for match in matches], more)
                yield _At(total, moment, matches)


def matched(base: list[Moment], deeper: list[Moment]) -> list[tuple[int, int]]:
    """The place of each moment in a deeper segment: in its first layers, and in its last.

    A moment before the additional layer is at the same place from the segment's beginning, a
    moment after it at the same place from its end. A moment between has a match there, or uses
    that of the moment before it.
    """
    size, longer = len(base), len(deeper)
    ops = [[moment.sign[0] for moment in moments] for moments in (base, deeper)]
    if ops[0] == ops[1]:
        return [(place, place) for place in range(size)]
    signs, two = ([moment.sign for moment in moments] for moments in (base, deeper))
    head, tail = _common(signs, two), _common(signs[::-1], two[::-1])
    between = {} if head + tail >= size else _between(signs, two, head, tail)
    positions: list[tuple[int, int]] = []
    for place in range(size):
        near = [place] if place < head else []
        far = [longer - size + place] if size - place <= tail else []
        candidates = near + far or [between.get(place, positions[-1][1] if positions else 0)]
        positions.append((candidates[0], candidates[-1]))
    return positions


def _between(first: list[Any], second: list[Any], head: int, tail: int) -> dict[int, int]:
    """The places of equal parts between two sequences' common beginnings and ends."""
    middles = first[head : len(first) - tail], second[head : len(second) - tail]
    blocks = SequenceMatcher(None, *middles, autojunk=False).get_matching_blocks()
    return {
        head + block.a + step: head + block.b + step
        for block in blocks
        for step in range(block.size)
    }


def _common(first: Sequence[Any], second: Sequence[Any]) -> int:
    """The number of equal items at the beginning."""
    for place, (left, right) in enumerate(zip(first, second)):
        if left != right:
            return place
    return min(len(first), len(second))


def _largest(base: Trace, more: Sequence[More], at: _At) -> tuple[Tensors, ...]:
    """The tensors that use most memory, equal ones together, at full depth."""
    alive = held_storages(base, at.base.event)
    counts: Counter[Any] = Counter(alive)
    for entry, moment in zip(more, at.others):
        deeper = held_storages(entry.trace, moment.event)
        for kind in {*alive, *deeper}:
            counts[kind] += entry.times * (deeper[kind] - alive[kind])
    listed = [
        (kind, count) for kind, count in counts.items() if count > 0 and kind[0] not in PERSISTENT
    ]
    listed.sort(key=lambda counted: counted[1] * counted[0][4], reverse=True)
    return tuple(
        Tensors(part, site, shape, dtype, size, count)
        for (part, site, shape, dtype, size), count in listed[:LARGEST]
    )
