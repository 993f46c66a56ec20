"""What a traced step allocated and freed, in order."""

from __future__ import annotations

from dataclasses import dataclass, field

LOAD, GENERATION, SCORING, FORWARD, BACKWARD, STEP = (
    "load", "generation", "log-probabilities", "forward", "backward", "optimizer step"
)  # fmt: skip


@dataclass(frozen=True)
class Storage:
    """A storage: its bytes, and the operation, shape, type and line of code that made it."""

    bytes: int
    op: str
    shape: tuple[int, ...]
    dtype: str
    site: str
    segment: int


@dataclass
class Log:
    """What happened, in order.

    `events` are (storage, segment), negative where the storage was freed: storages are numbered
    from 1, and `storages[number - 1]` describes one. `segments` are (phase, label): one
    call of a model each, or what is between two. `flops` are floating-point operations by segment.
    """

    storages: list[Storage] = field(default_factory=list)
    events: list[tuple[int, int]] = field(default_factory=list)
    segments: list[tuple[str, str]] = field(default_factory=list)
    flops: dict[int, int] = field(default_factory=dict)
