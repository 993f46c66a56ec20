"""The answer of the probe `fit`: memory of a traced step by phase and part, and its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tensors:
    """Tensors of one shape that one line creates."""

    part: str
    """What they are for: weights, gradients, activations …"""

    at: str
    """The line that creates them."""

    shape: tuple[int, ...]
    dtype: str
    bytes: int
    """The size of one of them."""

    count: int


@dataclass(frozen=True)
class Peak:
    """The moment of a phase at which the most memory is used."""

    phase: str
    without: tuple[str, ...]
    """Parts that do not count in this phase."""

    held: Mapping[str, int]
    """Bytes by part."""

    largest: tuple[Tensors, ...]


@dataclass(frozen=True)
class Sizes:
    """How many weights there are of each kind."""

    parameters: int
    trained: int
    linear: int
    """Weights of linear layers, which a quantised base stores in fewer bits."""

    deepest: int
    """Weights of the largest transformer layer."""

    linear_largest: int
    """Weights of the largest linear layer."""

    dtype: str
    by_role: Mapping[str, int]
    """The weights of each model of the run."""

    embedded: int = 0
    """Trained weights in embeddings."""


@dataclass(frozen=True)
class FitAnswer:
    """One optimizer step of one process at full size, traced without data."""

    trainer: str
    architecture: str
    layers: int
    peaks: tuple[Peak, ...]
    held: Mapping[str, int]
    """Bytes by part after the step."""

    flops: Mapping[str, int]
    """Floating-point operations by phase."""

    sizes: Sizes
    calls: Mapping[str, tuple[tuple[int, ...], ...]]
    """By phase: the shape of the token ids in each call of a model."""

    batches: int
    """How many batches were traced."""

    arguments: Mapping[str, Any]
    rows_from: str
    changed: Mapping[str, tuple[Any, Any, str]]
    """By argument: the run's value, the value that was used, and the reason."""

    by_formula: str = ""
    """Why the step was calculated by a formula, if it was not traced."""

    shortened: str = ""
    """How it was traced where its rows are too long for that."""
