"""What the script's own `compute_loss` gives where an evaluation asks for outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....watching.alignment import own_loss
from ....watching.labels import collator_rows, prepared
from ...kinds import LIBRARY, package_of
from ...record import Mistake
from ...where import attributes_of, own_files
from ..configs import EVALUATES

ROWS = 2
"""Rows that are asked about."""


def of_outputs(trainer: Any) -> Iterator[Mistake]:
    """Outputs of which the trainer's own `prediction_step` makes no predictions of all rows."""
    library = package_of(getattr(type(trainer), "prediction_step", None))
    if not own_loss(trainer) or not trainer.eval_dataset or library not in LIBRARY:
        return
    keeps = trainer.compute_metrics is not None and not trainer.args.prediction_loss_only
    if library == "trl" and not keeps:
        return  # it asks for the loss alone
    asked = attributes_of(own_files()) & {"evaluate", "predict"}
    if not asked and not getattr(trainer.args, EVALUATES, False):
        return  # there is no evaluation
    try:
        batch = _batch(trainer)
        if library == "transformers" and not _has_labels(trainer, batch):
            return  # it takes what the model gives
        given = _given(trainer, batch)
    except Exception:  # the evaluation itself tells
        return
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        yield Mistake("loss without outputs", [type(given).__name__])
        return
    lost = _lost(given[1], library) if keeps else ""
    if lost:
        yield Mistake("outputs in another form", [lost])


def _batch(trainer: Any) -> Any:
    data = collator_rows(trainer)
    return prepared(trainer, [data[at] for at in range(min(ROWS, len(data)))])


def _has_labels(trainer: Any, batch: Any) -> bool:
    """Whether its own `prediction_step` asks for the loss of such a batch."""
    names = trainer.label_names
    returned = batch.get("return_loss", getattr(trainer, "can_return_loss", False))
    return all(batch.get(name) is not None for name in names) if names else bool(returned)


def _given(trainer: Any, batch: Any) -> Any:
    import torch

    training = trainer.model.training
    trainer.model.eval()
    try:
        with torch.no_grad(), trainer.compute_loss_context_manager():
            return trainer.compute_loss(trainer.model, batch, return_outputs=True)
    finally:
        trainer.model.train(training)


def _lost(outputs: Any, library: str) -> str:
    """What becomes of outputs that are no object of a model; "" where that is what it should be."""
    import torch

    if library == "trl":
        return "" if hasattr(outputs, "logits") else "which has no logits: the evaluation fails"
    if isinstance(outputs, torch.Tensor) and outputs.dim():
        return "of which the trainer drops the first row (outputs[1:])"
    first = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else None
    if isinstance(first, torch.Tensor) and first.dim():
        return "of which the trainer drops the first part, taking it for the loss (outputs[1:])"
    return ""
