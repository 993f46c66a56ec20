"""Sees a trainer's first optimizer step: the gradients before it, and the weights it moves."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ..answers.gradients import Gradients

EPSILON = 1e-8
"""Adam divides by the root of the mean square plus this."""

NAMES = 12
"""The most names of parameters that are reported."""


class GradientWatch:
    """A watcher of optimizers' steps; `found` is None if none made one."""

    def __init__(self, model: Any) -> None:
        self.names = {
            id(weights): name for name, weights in model.named_parameters() if weights.requires_grad
        }
        self.weights: list[tuple[Any, Any]] = []
        self.found: Gradients | None = None

    def before(self, optimizer: Any, *_: Any) -> None:
        """Measure the gradients of the first step, and keep the weights."""
        if self.found is not None:
            return
        trained = {
            id(parameter): parameter
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        self.weights = [(value, value.detach().clone()) for value in trained.values()]
        learning = {key: value for key, value in trained.items() if value.requires_grad}
        # without a gradient and a name, it is of another model than the trained one
        weights = [
            (self.names.get(key, ""), value)
            for key, value in learning.items()
            if key in self.names or value.grad is not None
        ]
        missing_names = [name for key, name in self.names.items() if key not in trained]
        self.found = _measured(weights, missing_names, optimizer)

    def after(self, *_: Any) -> None:
        """Count the weights that it moved."""
        if not self.weights or self.found is None:
            return
        moved = elements = 0
        for now, then in self.weights:
            if now.grad is not None:
                # the optimizer moves nothing by a gradient below its epsilon, or without one
                has_gradient = now.grad.abs() > EPSILON
                elements += int(has_gradient.sum())
                moved += int((has_gradient & (now.detach() != then)).sum())
        share = moved / elements if elements else 0.0
        lost = [self.names.get(id(now), "") for now, then in self.weights if _lost(now, then)]
        self.weights = []
        self.found = dataclasses.replace(
            self.found,
            moved=share,
            elements=elements,
            not_finite=tuple(lost[:NAMES]),
            not_finite_count=len(lost),
        )


def _measured(
    trained: list[tuple[str, Any]], missing_names: list[str], optimizer: Any
) -> Gradients:
    """The gradients of the parameters that the optimizer holds and that can learn."""
    without = [name for name, weights in trained if weights.grad is None]
    zero = [
        name for name, weights in trained if weights.grad is not None and not weights.grad.any()
    ]
    norm = math.sqrt(
        sum(_square(weights.grad) for _, weights in trained if weights.grad is not None)
    )
    adapters = [name for name, _ in trained if "lora_B" in name]
    idle = set(without) | set(zero)
    return Gradients(
        parameters=len(trained),
        elements_trained=sum(weights.numel() for _, weights in trained),
        norm=norm,
        finite=math.isfinite(norm),
        without=tuple(without[:NAMES]),
        without_count=len(without),
        zero=tuple(zero[:NAMES]),
        zero_count=len(zero),
        dtypes=tuple(sorted({str(weights.dtype).rpartition(".")[2] for _, weights in trained})),
        adapters=len(adapters),
        adapters_idle=sum(_idle(name, idle, trained) for name in adapters),
        not_in_optimizer=tuple(missing_names[:NAMES]),
        not_in_optimizer_count=len(missing_names),
        learning_rates=tuple(sorted({float(group["lr"]) for group in optimizer.param_groups})),
        optimizer=type(optimizer).__name__,
    )


def _idle(name: str, idle: set[str], trained: list[tuple[str, Any]]) -> bool:
    """Whether a `lora_B` does not learn. AdaLoRA multiplies it by `lora_E`, which begins at zero:
    the first step moves `lora_E` alone, and the later ones all of them."""
    scale = name.replace("lora_B", "lora_E")
    begins = scale not in idle and any(scale == other for other, _ in trained)
    return name in idle and not begins


def _lost(now: Any, then: Any) -> bool:
    """Whether a step left nan or infinity in weights that had none."""
    return not bool(now.detach().isfinite().all()) and bool(then.isfinite().all())


def _square(gradient: Any) -> float:
    return float(gradient.detach().float().norm()) ** 2
