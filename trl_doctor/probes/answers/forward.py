"""The answer of the probe `forward`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Backbone:
    """The model without its output layer.

    `prefix` is the attribute under which it is kept, and `resolves` says that there is one.
    `hidden`: it gives hidden states; what it raised if it does not run. `head`: the output
    layer has a weight and a bias, which may be None.
    """

    prefix: str
    resolves: bool
    hidden: bool | str
    head: bool


@dataclass(frozen=True)
class TrainerForward:
    """What the trainer's own function, `called`, passes to the model, gets back, and makes of it.

    `passed` is the keyword about positions and `kept` its value, None if it passes none;
    `returned` the positions of the logits, None if there were none. Of `wanted`
    log-probabilities of a sequence it made `got`; `wrong_by` is their largest distance from the
    true ones, in nats. `error` is what was raised instead, and `at` where.
    """

    called: str
    wanted: int
    passed: str | None = None
    kept: int | None = None
    returned: int | None = None
    got: int | None = None
    wrong_by: float | None = None
    error: str | None = None
    at: str = ""


@dataclass(frozen=True)
class ForwardAnswer:
    """What a small model of this architecture does with keywords about positions.

    `takes` are those that its forward names, `swallows` says that it takes any. Of `positions`
    that went in, `asked` were asked for by each keyword: `returned` has how many came back, or
    what was raised. `trainer` is None if it could not be asked: `refused` says why.
    """

    architecture: str
    layers: int
    vocabulary: int
    takes: tuple[str, ...]
    swallows: bool
    positions: int
    asked: int
    returned: Mapping[str, int | str]
    backbone: Backbone
    trainer: TrainerForward | None
    refused: str = ""
