"""Whether a row's loss depends on the rows beside it, and on the weights that are trained."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..answers.step import RowLosses
from ..child import line
from .alignment import own_loss
from .labels import collator_rows, prepared

TRAINERS = ("SFTTrainer", "DPOTrainer", "RewardTrainer")
"""Those whose loss is a mean over the rows or over their targets."""

OF_THE_BATCH = ("aot", "sft")
"""Parts of the names of DPO's losses that are none of each pair alone."""

ROWS = 8
"""Rows of which the shortest and the longest are compared."""

DRAWN = "the same rows have another loss each time: what they are given with is drawn"
"""Why two rows are not compared: their collator replaces tokens, or the model does."""

SAME = 1e-6
"""The share by which one loss may differ from itself."""

NOISE = 0.05
"""What is added to each trained weight, as a share of the standard normal distribution."""


def row_losses(trainer: Any) -> RowLosses | None:
    """The losses of two rows of different length, alone and in one batch.

    They are computed in float32 without dropout, with other weights than those of the first step:
    with these a policy is its reference, and all pairs have one loss. None if the loss is no
    mean over rows, or the trainer has no two rows of different length. It raises nothing.
    """
    try:
        return _measured(trainer) if _is_a_mean(trainer) else None
    except Exception as error:
        return RowLosses(why=line(error)[:200])


def _is_a_mean(trainer: Any) -> bool:
    args, config = trainer.args, getattr(trainer.model, "config", None)
    name = next((kind.__name__ for kind in type(trainer).mro() if _of_trl(kind)), "")
    losses = str(getattr(args, "loss_type", "")) if name == "DPOTrainer" else ""
    return (
        name in TRAINERS
        and not own_loss(trainer)
        and not any(part in losses for part in OF_THE_BATCH)
        and not getattr(args, "rpo_alpha", None)
        and not getattr(config, "output_router_logits", False)
        and not getattr(trainer, "aux_loss_enabled", False)
    )


def _of_trl(kind: type) -> bool:
    return kind.__module__.startswith("trl.")


def _measured(trainer: Any) -> RowLosses | None:
    import torch

    data = collator_rows(trainer)
    rows = sorted((data[at] for at in range(min(len(data), ROWS))), key=_size)
    if len(rows) < 2 or _size(rows[0]) == _size(rows[-1]):
        return None
    short, long = rows[0], rows[-1]
    with torch.no_grad(), contextlib.ExitStack() as stack:
        for model in (trainer.model, getattr(trainer, "ref_model", None)):
            if model is not None:
                stack.enter_context(exact(model))
        before = [_loss(trainer, [row])[0] for row in (short, long)]
        stack.enter_context(_other_weights(trainer.model))
        (first, few), (last, many) = (_loss(trainer, [row]) for row in (short, long))
        together, again = (_loss(trainer, [short, long])[0] for _ in range(2))
    if abs(again - together) > SAME * abs(together):
        return RowLosses(why=DRAWN)
    return RowLosses((before[0], before[1]), (first, last), (few, many), together)


def _size(row: Any) -> int:
    """The tokens of a row that the trainer has prepared."""
    tokens = (value for name, value in row.items() if name.endswith("ids") or "input_ids" in name)
    return sum(len(ids) for ids in tokens if ids is not None)


def _loss(trainer: Any, rows: list[Any]) -> tuple[float, int]:
    """The loss of a batch, and its targets where it has labels."""
    inputs = prepared(trainer, rows)
    labels = inputs.get("labels")
    count = 0 if labels is None else int((labels[..., 1:] != -100).sum())
    return float(trainer.compute_loss(trainer.model, inputs)), count


@contextlib.contextmanager
def exact(model: Any) -> Iterator[None]:
    """Meanwhile a model computes in float32, without autocast and dropout."""
    training, wrapped = model.training, vars(model).get("forward")
    types = [weights.dtype for weights in model.parameters()]
    if wrapped is not None and hasattr(model, "_original_forward"):  # by accelerate
        model.forward = model._original_forward
    model.eval()
    try:
        for weights in model.parameters():
            if weights.is_floating_point():
                weights.data = weights.data.float()
        yield
    finally:
        for weights, kind in zip(model.parameters(), types):
            weights.data = weights.data.to(kind)
        if wrapped is not None:
            model.forward = wrapped
        model.train(training)


@contextlib.contextmanager
def _other_weights(model: Any) -> Iterator[None]:
    """Meanwhile every weight that is trained is another."""
    import torch

    trained = [weights for weights in model.parameters() if weights.requires_grad]
    before = [weights.detach().clone() for weights in trained]
    generator = torch.Generator().manual_seed(0)
    try:
        for weights in trained:
            noise = torch.randn(weights.shape, generator=generator) * NOISE
            weights.add_(noise.to(weights.device, weights.dtype))
        yield
    finally:
        for weights, original in zip(trained, before):
            weights.copy_(original)
