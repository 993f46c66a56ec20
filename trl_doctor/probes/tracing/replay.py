"""What was held in memory at every moment of a traced step, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from .log import BACKWARD, FORWARD, Log, Made

PARTS = (
    "weights", "reference", "reward", "value", "gradients", "optimizer", "weight copies",
    "activations", "logits", "kv cache", "temporary",
)  # fmt: skip
"""What memory is held for. Weight copies are those that autocast makes in a smaller type."""

PLACES = {name: place for place, name in enumerate(PARTS)}

Held = tuple[int, ...]
"""Bytes by part, in the order of `PARTS`."""


@dataclass(frozen=True)
class Moment:
    """A storage was just made: by what (`sign`), what is held then, and which event it was."""

    sign: tuple[str, int]
    held: Held
    event: int


@dataclass(frozen=True)
class Trace:
    """A traced step: its log, the part that each storage belongs to, its moments by segment."""

    log: Log
    parts: Mapping[int, str]
    moments: list[list[Moment]]
    end: Held


def replayed(log: Log, known: Mapping[int, str], words: set[int]) -> Trace:
    """Put every storage into a part, and note what was held when.

    `known` are the parts of weights, gradients, optimizer states and copies by storage; a storage
    with a vocabulary's size (one of `words`) as its last dimension holds logits.
    """
    parts = _parted(log, known, words)
    now = [0] * len(PARTS)
    moments: list[list[Moment]] = [[] for _ in log.segments]
    for event, (storage, segment) in enumerate(log.events):
        made = log.made[abs(storage) - 1]
        place = PLACES[parts[abs(storage)]]
        if storage > 0:
            now[place] += made.bytes
            moments[segment].append(Moment((made.op, made.bytes), tuple(now), event))
        else:
            now[place] -= made.bytes
    return Trace(log, parts, moments, tuple(now))


def _parted(log: Log, known: Mapping[int, str], words: set[int]) -> dict[int, str]:
    parts = dict(known)
    for number, made in enumerate(log.made, 1):
        if number not in parts and len(made.shape) > 1 and made.shape[-1] in words:
            parts[number] = "logits"
    kept = _kept_for_backward(log)
    for number in range(1, len(log.made) + 1):
        if number not in parts:
            parts[number] = "activations" if number in kept else "temporary"
    return parts


def _kept_for_backward(log: Log) -> set[int]:
    """The storages of a forward pass that are still there when a backward pass begins."""
    alive: dict[int, None] = {}
    kept: set[int] = set()
    before = ""
    for storage, segment in log.events:
        phase = log.segments[segment][0]
        if phase == BACKWARD != before:
            kept |= {one for one in alive if _phase(log, log.made[one - 1]) == FORWARD}
        before = phase
        if storage > 0:
            alive[storage] = None
        else:
            alive.pop(-storage, None)
    return kept


def _phase(log: Log, made: Made) -> str:
    return log.segments[made.segment][0]


def there(trace: Trace, event: int) -> Counter[tuple[str, str, tuple[int, ...], str, int]]:
    """How many storages of each kind are held after an event: part, site, shape, type, bytes."""
    alive: dict[int, None] = {}
    for storage, _ in trace.log.events[: event + 1]:
        if storage > 0:
            alive[storage] = None
        else:
            alive.pop(-storage, None)
    return Counter(
        (trace.parts[one], made.site, made.shape, made.dtype, made.bytes)
        for one, made in ((one, trace.log.made[one - 1]) for one in alive)
    )
