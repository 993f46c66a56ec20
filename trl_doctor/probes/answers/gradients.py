"""What a probe answers about the gradients of a step, and the weights that it moved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gradients:
    """The gradients of the first optimizer step, and the weights that it moved.

    `parameters` and `elements_trained` count what the optimizer holds and is not frozen. `without`
    and `zero` are the first names of parameters with no gradient and with one that is zero; the
    counts are of all. `adapters` are the lora_B matrices, `adapters_idle` those without a
    gradient. `not_in_optimizer` are the first names of trainable parameters that it does not hold.
    `elements` have a gradient that can move them, and `moved` is the share of them that moved.
    `not_finite` are the first names of the parameters in which the step leaves nan or infinity.
    """

    parameters: int
    elements_trained: int
    norm: float
    finite: bool
    without: tuple[str, ...]
    without_count: int
    zero: tuple[str, ...]
    zero_count: int
    dtypes: tuple[str, ...]
    adapters: int
    adapters_idle: int
    not_in_optimizer: tuple[str, ...]
    learning_rates: tuple[float, ...]
    optimizer: str
    moved: float = 0.0
    elements: int = 0
    not_in_optimizer_count: int = 0
    not_finite: tuple[str, ...] = ()
    not_finite_count: int = 0
