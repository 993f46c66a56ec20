"""The parts of the answer of the probe `engine` about sampling and stopping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .error import Error


@dataclass(frozen=True)
class Factor:
    """exp|Δ| of two log-probabilities of a token."""

    mean: float
    most: float


@dataclass(frozen=True)
class Distances:
    """How far the log-probabilities of the engine are from those of the trainer."""

    tokens: int
    """How many tokens were compared."""

    factor: Factor
    ratio: float
    """The mean of trainer / engine."""

    quantiles: Mapping[str, float]
    """|Δ| in nats by share ("0.5")."""

    precision: str
    """The dtype in which the trainer computes."""


@dataclass(frozen=True)
class Sampling:
    """How the engine samples with the run's arguments; distances are None if not measured."""

    run_arguments: Mapping[str, Any]
    engine_arguments: Mapping[str, Any]
    """What vLLM's SamplingParams received of them."""

    error: Error | None
    """What kept TRL from sampling so."""

    plain: Distances | None
    """Sampled from the whole distribution, at the run's temperature."""

    with_arguments: Distances | None
    """Sampled with the run's arguments; None if that is the same as `plain`."""

    training: Distances | None
    """As `plain`, with the trainer's model in training mode."""


@dataclass(frozen=True)
class Stop:
    """Whether the engine stops when it generates a token at which the run means to stop."""

    id: int
    token: str
    why: tuple[str, ...]
    """The places that name the token: "eos", "stop id"."""

    limit: int
    """The most tokens that were generated."""

    state: str
    """One of "tested" and "forbidden" (by the run's own arguments), or why it was not tested."""

    length: int = 0
    """How many tokens were generated."""

    finish: str | None = None
    """vLLM's `finish_reason`."""

    stop_reason: int | str | None = None
    """vLLM's own."""

    text: str = ""
    first_tokens: tuple[int, ...] = ()
    """The first three token ids."""

    seconds: float = 0.0
