"""Whether a loss of the script's own reads predictions that the labels leave out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .accumulation import gradients_kept
from .alignment import own_loss
from .beside import exact
from .labels import as_fed

ROWS = 4
"""The most rows of the batch."""

NOISE = 1e-4
"""The share of a gradient up to which it is taken for a rounding error."""


def masked(trainer: Any) -> float | None:
    """The share of the loss's gradient that falls on predictions of tokens with a label of -100.

    A cross-entropy of the labels has 0. None for losses of a library, which are known, for
    batches without labels or without a -100, and where the logits are not seen. It raises nothing.
    """
    given = getattr(trainer, "compute_loss_func", None)
    if not own_loss(trainer) and (given is None or _of_library(given)):
        return None
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        return _measured(trainer)
    return None


def _of_library(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(("trl.", "transformers."))


def _measured(trainer: Any) -> float | None:
    data = as_fed(trainer)
    batch = trainer._prepare_inputs(
        trainer.data_collator([data[at] for at in range(min(len(data), ROWS))])
    )
    labels = batch.get("labels")
    if labels is None or labels.dim() != 2 or not bool((labels == -100).any()):
        return None
    model = trainer.model
    with exact(model), gradients_kept(model), _logits_seen(model) as outputs:
        trainer.compute_loss(model, dict(batch)).backward()
    gradients = [each.grad for each in outputs if each.grad is not None]
    whole = outside = 0.0
    for gradient in gradients:
        if gradient.dim() != 3 or gradient.shape[:2] != labels.shape:
            return None
        by_place = gradient.abs().sum(-1)
        left_out = labels[:, 1:] == -100
        whole += float(by_place.sum())
        outside += float(by_place[:, :-1][left_out].sum())
    if not whole:
        return None
    return outside / whole if outside > NOISE * whole else 0.0


@contextlib.contextmanager
def _logits_seen(model: Any) -> Iterator[list[Any]]:
    """Meanwhile the logits of each call keep their gradient."""
    outputs: list[Any] = []

    def watch(_: Any, __: Any, output: Any) -> None:
        logits = getattr(output, "logits", None)
        if logits is not None and logits.requires_grad:
            logits.retain_grad()
            outputs.append(logits)

    handle = model.register_forward_hook(watch)
    try:
        yield outputs
    finally:
        handle.remove()
