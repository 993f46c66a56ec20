"""What was held in memory at every moment of a traced step, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from .log import BACKWARD, FORWARD, Log, Storage

PARTS = (
    "weights", "reference", "reward", "value", "gradients", "optimizer", "weight copies",
    "activations", "logits", "kv cache", "temporary",
)  # fmt: skip
"""What memory is held for. Weight copies are those that autocast makes in a smaller type."""

PLACES = {name: place for place, name in enumerate(PARTS)}

BytesByPart = tuple[int, ...]
"""Bytes by part, in the order of `PARTS`."""


@dataclass(frozen=True)
class Moment:
    """A storage was just made: by what (`sign`), what is held then, and which event it was."""

    sign: tuple[str, int]
    held: BytesByPart
    event: int


@dataclass(frozen=True)
class Trace:
    """A traced step: its log, the part that each storage belongs to, its moments by segment."""

    log: Log
    parts: Mapping[int, str]
    moments: list[list[Moment]]
    end: BytesByPart


def replayed(log: Log, known_parts: Mapping[int, str], words: set[int]) -> Trace:
    """Assign every storage to a part, and record how much is held at each event.

    `known_parts` are the parts of weights, gradients, optimizer states and copies by storage; a
    storage with a vocabulary's size (one of `words`) as its last dimension holds logits.
    """
    parts = _parted(log, known_parts, words)
    sizes = [0] * len(PARTS)
    moments: list[list[Moment]] = [[] for _ in log.segments]
    for event, (storage, segment) in enumerate(log.events):
        allocation = log.storages[abs(storage) - 1]
        place = PLACES[parts[abs(storage)]]
        if storage > 0:
            sizes[place] += allocation.bytes
            moments[segment].append(Moment((allocation.op, allocation.bytes), tuple(sizes), event))
        else:
            sizes[place] -= allocation.bytes
    return Trace(log, parts, moments, tuple(sizes))


def _parted(log: Log, known_parts: Mapping[int, str], words: set[int]) -> dict[int, str]:
    parts = dict(known_parts)
    for number, allocation in enumerate(log.storages, 1):
        if number not in parts and len(allocation.shape) > 1 and allocation.shape[-1] in words:
            parts[number] = "logits"
    needed = _kept_for_backward(log)
    for number in range(1, len(log.storages) + 1):
        if number not in parts:
            parts[number] = "activations" if number in needed else "temporary"
    return parts


def _kept_for_backward(log: Log) -> set[int]:
    """The storages of a forward pass that still exist when a backward pass begins."""
    alive: dict[int, None] = {}
    needed: set[int] = set()
    before = ""
    for storage, segment in log.events:
        phase = log.segments[segment][0]
        if phase == BACKWARD != before:
            needed |= {
                number for number in alive if _phase(log, log.storages[number - 1]) == FORWARD
            }
        before = phase
        if storage > 0:
            alive[storage] = None
        else:
            alive.pop(-storage, None)
    return needed


def _phase(log: Log, allocation: Storage) -> str:
    return log.segments[allocation.segment][0]


def held_storages(trace: Trace, event: int) -> Counter[tuple[str, str, tuple[int, ...], str, int]]:
    """How many storages of each kind are held after an event: part, site, shape, type, bytes."""
    alive: dict[int, None] = {}
    for storage, _ in trace.log.events[: event + 1]:
        if storage > 0:
            alive[storage] = None
        else:
            alive.pop(-storage, None)
    return Counter(
        (trace.parts[number], allocation.site, allocation.shape, allocation.dtype, allocation.bytes)
        for number, allocation in ((number, trace.log.storages[number - 1]) for number in alive)
    )
