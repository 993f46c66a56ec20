"""The answer of the probe `forward`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Backbone:
    """The model without its output layer."""

    prefix: str
    """The attribute of the model that holds it."""

    resolves: bool
    """Whether the model has this attribute."""

    hidden: bool | str
    """Whether it returns hidden states, or the error that it raised."""

    head: bool
    """Whether the output layer has a weight and a bias; the bias may be None."""


@dataclass(frozen=True)
class TrainerForward:
    """One call of the trainer's own function that computes log-probabilities."""

    called: str
    """The name of the function."""

    wanted: int
    """How many log-probabilities the trainer needs for a sequence."""

    passed: str | None = None
    """The keyword about positions that it passes to the model, None if it passes none."""

    kept: int | None = None
    """The value of that keyword."""

    returned: int | None = None
    """How many positions the model's logits have, None if it returned no logits."""

    got: int | None = None
    """How many log-probabilities of a sequence the function returned."""

    wrong_by: float | None = None
    """The largest difference to the true log-probabilities, in nats."""

    error: str | None = None
    """The error that it raised instead."""

    at: str = ""
    """The line of the library that raised it."""


@dataclass(frozen=True)
class ForwardAnswer:
    """What a small model of this architecture does with keywords about positions."""

    architecture: str
    layers: int
    vocabulary: int
    takes: tuple[str, ...]
    """The keywords that its forward names."""

    takes_any: bool
    """Whether its forward has `**kwargs`, and so accepts keywords that it may ignore."""

    positions: int
    """The length of the sequences that were passed."""

    requested: int
    """How many of these positions each keyword asked for."""

    returned: Mapping[str, int | str]
    """By keyword: how many positions came back, or the error."""

    backbone: Backbone
    trainer: TrainerForward | None
    """None if this could not be tried; `refused` has the reason."""

    refused: str = ""
