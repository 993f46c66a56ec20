"""The answer of the probe `fit`: memory of a traced step by phase and part, and its arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tensors:
    """Equal tensors: how many are held, the bytes of each, the line that creates them."""

    part: str
    at: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    count: int


@dataclass(frozen=True)
class Peak:
    """The moment of a phase at which most is held: bytes by part, and the largest tensors.

    `without` are the parts that did not count when the moment was looked for.
    """

    phase: str
    without: tuple[str, ...]
    held: Mapping[str, int]
    largest: tuple[Tensors, ...]


@dataclass(frozen=True)
class Sizes:
    """Weights in all, those that are trained, those in linear layers that a base is quantised in.

    `deepest` are the weights of the largest layer, `linear_largest` those of the largest linear
    layer, `by_role` the weights of every model of the run, `embedded` those trained in embeddings.
    """

    parameters: int
    trained: int
    linear: int
    deepest: int
    linear_largest: int
    dtype: str
    by_role: Mapping[str, int]
    embedded: int = 0


@dataclass(frozen=True)
class FitAnswer:
    """One optimizer step of one process at full size, without data, as on one GPU.

    `batches` is how many batches were traced, `calls` the shapes of the token ids of every call
    of a model by phase, `flops` floating-point operations by phase, `held` bytes after the step.
    `by_formula` is why the step was not traced, if it was not; `shortened` is how it was where its
    rows were too long for that.
    """

    trainer: str
    architecture: str
    layers: int
    peaks: tuple[Peak, ...]
    held: Mapping[str, int]
    flops: Mapping[str, int]
    sizes: Sizes
    calls: Mapping[str, tuple[tuple[int, ...], ...]]
    batches: int
    arguments: Mapping[str, Any]
    rows_from: str
    changed: Mapping[str, tuple[Any, Any, str]]
    by_formula: str = ""
    shortened: str = ""
