"""Whether the gradients of two batches add up to that of one batch of the same rows."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from ..answers.step import Accumulated
from ..child import line
from .labels import collator_rows
from .row_losses import exact

TRAINERS = ("SFTTrainer", "DPOTrainer", "KTOTrainer", "RewardTrainer")
"""Those of TRL that make a batch of rows as they are; others may be derived from them."""


def accumulated(trainer: Any) -> Accumulated | None:
    """What two batches of one row add up to, as a share of one batch that has the row twice.

    They are given to the trainer's own `training_step`, in float32 and without dropout. Any loss
    that is a mean has 1 here. None for other trainers, and if there is no row. It raises
    nothing.
    """
    try:
        return _measured(trainer) if _supported(trainer) else None
    except Exception as error:
        return Accumulated(why=line(error)[:200])


def _supported(trainer: Any) -> bool:
    """Whether it is one of these, or a Trainer of transformers."""
    of_trl = [kind for kind in type(trainer).mro() if kind.__module__.startswith("trl.")]
    return not of_trl or any(kind.__name__ in TRAINERS for kind in of_trl)


def _measured(trainer: Any) -> Accumulated | None:
    data = collator_rows(trainer)
    if not len(data):
        return None
    row = data[0]
    with contextlib.ExitStack() as stack:
        for model in (trainer.model, getattr(trainer, "ref_model", None)):
            if model is not None:
                stack.enter_context(exact(model))
        stack.enter_context(gradients_kept(trainer.model))
        stack.enter_context(_dropout_left_off(trainer.model))
        added, whole = (_gradient(trainer, batches) for batches in ([[row], [row]], [[row, row]]))
    return Accumulated(float(added @ whole) / float(whole @ whole)) if whole.any() else None


def _gradient(trainer: Any, batches: list[list[Any]]) -> Any:
    """What a step over some batches adds up, as one vector."""
    import torch

    trainer.model.zero_grad()
    with _accumulates(trainer, len(batches)):
        iterator = iter([trainer.data_collator(rows) for rows in batches])
        samples, count = _samples(trainer, iterator, len(batches))
        for batch in samples:
            _step(trainer, batch, count)
    weights = [each.grad for each in trainer.model.parameters() if each.grad is not None]
    return torch.cat([gradient.flatten().float() for gradient in weights])


def _samples(trainer: Any, batches: Iterator[Any], number: int) -> tuple[Any, Any]:
    """The batches of a step, and the targets in them, as transformers' own loop asks for them."""
    if not hasattr(trainer, "get_batch_samples"):  # before transformers 4.46
        return batches, None
    parameters = inspect.signature(trainer.get_batch_samples).parameters
    device = (trainer.args.device,) if "device" in parameters else ()
    samples, count = trainer.get_batch_samples(batches, number, *device)
    return samples, count


def _step(trainer: Any, batch: Any, count: Any) -> None:
    from transformers import Trainer

    counted = "num_items_in_batch" in inspect.signature(Trainer.training_step).parameters
    trainer.training_step(trainer.model, batch, *((count,) if counted else ()))


@contextlib.contextmanager
def _accumulates(trainer: Any, number: int) -> Iterator[None]:
    """Meanwhile a step of the trainer has so many batches."""
    args = trainer.args
    before = args.gradient_accumulation_steps
    current = getattr(trainer, "current_gradient_accumulation_steps", before)
    args.gradient_accumulation_steps = trainer.current_gradient_accumulation_steps = number
    try:
        yield
    finally:
        args.gradient_accumulation_steps = before
        trainer.current_gradient_accumulation_steps = current


@contextlib.contextmanager
def gradients_kept(model: Any) -> Iterator[None]:
    """Afterwards a model has the gradients that it had."""
    before = [(weights, weights.grad) for weights in model.parameters()]
    for weights, _ in before:
        weights.grad = None
    try:
        yield
    finally:
        for weights, gradient in before:
            weights.grad = gradient


@contextlib.contextmanager
def _dropout_left_off(model: Any) -> Iterator[None]:
    """Meanwhile `training_step` does not turn it on again.

    The model itself says that it trains: a loss of the script's own may ask it. Its parts, which
    have the dropout, do not.
    """
    model.train = lambda mode=True: model
    before, model.training = model.training, True
    try:
        yield
    finally:
        model.training = before
        del model.train
