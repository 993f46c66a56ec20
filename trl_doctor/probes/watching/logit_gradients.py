"""The gradient of a trainer's loss at the logits of each call of its model."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from .accumulation import gradients_kept
from .row_losses import exact


def at_logits(trainer: Any, batch: Any) -> list[tuple[Any, Any]]:
    """The gradient at the logits of each call that learns, and the tokens that the call got."""
    model, more = trainer.model, counted(trainer, batch)
    with exact(model), gradients_kept(model), _logits_seen(model) as seen:
        trainer.compute_loss(model, copied(batch), **more).backward()
    return [(logits.grad, given) for logits, given in seen if logits.grad is not None]


def copied(batch: Any) -> dict[str, Any]:
    """A batch that may be changed: some losses write into their labels."""
    given = dict(batch)
    return {name: v.clone() if hasattr(v, "clone") else v for name, v in given.items()}


def counted(trainer: Any, batch: Any) -> dict[str, Any]:
    """The number of learned tokens of a batch, where the loss asks for it, by its argument."""
    asked = "num_items_in_batch" in inspect.signature(trainer.compute_loss).parameters
    return (
        {"num_items_in_batch": (batch["labels"] != -100).sum()}
        if asked and "labels" in batch
        else {}
    )


@contextlib.contextmanager
def _logits_seen(model: Any) -> Iterator[list[tuple[Any, Any]]]:
    """Meanwhile the logits of each call keep their gradient; they come with the call's tokens."""
    outputs: list[tuple[Any, Any]] = []

    def watch(_: Any, given: Any, named: dict[str, Any], output: Any) -> None:
        logits = getattr(output, "logits", None)
        if logits is not None and logits.requires_grad:
            logits.retain_grad()
            outputs.append((logits, named.get("input_ids", given[0] if given else None)))

    handle = model.register_forward_hook(watch, with_kwargs=True)
    try:
        yield outputs
    finally:
        handle.remove()
