"""What a probe answers about the gradients of a step, and the weights that it moved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gradients:
    """The gradients of the first optimizer step, and the weights that it moved.

    Lists of names have the first ones only; the count beside a list is of all.
    """

    parameters: int
    """Trainable parameters that the optimizer has."""

    elements_trained: int
    """The numbers in these parameters."""

    norm: float
    finite: bool
    without: tuple[str, ...]
    """Parameters that have no gradient."""

    without_count: int
    zero: tuple[str, ...]
    """Parameters whose gradient is zero."""

    zero_count: int
    dtypes: tuple[str, ...]
    adapters: int
    """The `lora_B` matrices."""

    adapters_idle: int
    """Those of them without a gradient, but for those whose `lora_E` has one (AdaLoRA)."""

    not_in_optimizer: tuple[str, ...]
    """Trainable parameters that the optimizer does not have."""

    learning_rates: tuple[float, ...]
    optimizer: str
    moved: float = 0.0
    """The share of `elements` that the step changed."""

    elements: int = 0
    """Numbers with a gradient that is large enough to change them."""

    not_in_optimizer_count: int = 0
    not_finite: tuple[str, ...] = ()
    """Parameters that are nan or infinite after the step."""

    not_finite_count: int = 0
