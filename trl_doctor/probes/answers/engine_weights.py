"""The part of the answer of the probe `engine` about the weight sync from trainer to engine."""

from __future__ import annotations

from dataclasses import dataclass

from .error import Error


@dataclass(frozen=True)
class SyncError(Error):
    """What stopped the first weight sync."""

    parameter: str = ""
    """The parameter at which it stopped."""

    trainer_shape: tuple[int, ...] = ()
    engine_shape: tuple[int, ...] | None = None
    """None if the engine's files have no such tensor."""

    backend: bool = False
    """Whether this backend of vLLM accepts no weights."""


@dataclass(frozen=True)
class Push:
    """How many parameters went to the engine, and what stopped them."""

    pushed: int
    error: SyncError | None


@dataclass(frozen=True)
class Sync(Push):
    """The first weight sync."""

    resized: tuple[int, int] | None
    """The rows of the embedding, and the longer tokenizer for which it was resized; None if it was
    not."""

    tied: bool
    """Whether input and output embeddings are one tensor."""

    adapter: str
    """One of "none" and "merged"."""
