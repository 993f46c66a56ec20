"""The answer of the probe `termination`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Talk:
    """A completion of a model that only ever says its turn end, in token ids.

    `eos` are the ids at which generation ends, `said` the tokens of the completion. `stopped`:
    one of `eos` ended it, not the limit.
    """

    eos: tuple[int, ...]
    said: tuple[int, ...]
    stopped: bool


@dataclass(frozen=True)
class TrainerTalk(Talk):
    """The same; `counted` are the ids at which the trainer takes a completion to have ended."""

    counted: tuple[int, ...]


@dataclass(frozen=True)
class TerminationAnswer:
    """How a model of this architecture talks by its own files, and as the trainer lets it.

    `leans` is the probability with which it says the id `turn_end`, `limit` the length in tokens
    at which generation is cut. `trainer` is None if it could not be asked: `refused` says why.
    """

    architecture: str
    turn_end: int
    leans: float
    limit: int
    files: Talk
    trainer: TrainerTalk | None
    refused: str = ""
