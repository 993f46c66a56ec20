"""The answer of the probe `termination`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Generation:
    """One completion of a model that can only generate the end of its turn."""

    eos: tuple[int, ...]
    """The token ids at which generation ends."""

    tokens: tuple[int, ...]
    """The token ids that were generated."""

    stopped: bool
    """Whether one of `eos` ended it, and not the limit."""


@dataclass(frozen=True)
class TrainerGeneration(Generation):
    """The same with the trainer's own generation config."""

    counted: tuple[int, ...]
    """The token ids by which the trainer counts a completion as ended."""


@dataclass(frozen=True)
class TerminationAnswer:
    """Where generation stops: by the model's own files, and with the trainer's config."""

    architecture: str
    turn_end: int
    """The token id that ends a turn of the chat template."""

    turn_end_probability: float
    """How likely the model is to generate `turn_end` next, measured after a prompt."""

    limit: int
    """The number of tokens after which generation was stopped."""

    files: Generation
    trainer: TrainerGeneration | None
    """None if this could not be tried; `refused` has the reason."""

    refused: str = ""
