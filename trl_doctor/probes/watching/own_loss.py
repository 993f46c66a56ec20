"""Which tokens a loss of the script's own teaches the model, by its gradient at the logits."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from .accumulation import gradients_kept
from .alignment import own_loss
from .labels import collator_rows, prepared
from .row_losses import exact

SHIFT = ("shift", "loss_function(", "labels[..., 1:]", "labels[:, 1:]")
"""What the code of a model that shifts its labels has."""

ROWS = 4
"""The most rows of the batch."""

MOST = 0.9
"""The share of the places from which on a loss teaches the model its own input."""

NOISE = 1e-4
"""The share of a gradient up to which it is taken for a rounding error."""


def of_own_loss(trainer: Any) -> dict[str, float]:
    """What the gradient shows; empty for losses of a library that shift the labels.

    `masked` is its share at predictions of tokens with a label of -100, `copied` the share of the
    places that are to predict their own token, `rowless` the share of the rows with labels that
    have no gradient. A cross-entropy of the labels has 0 of all. Empty, too, for batches without
    labels, and where the logits are not seen. It raises nothing.
    """
    given = getattr(trainer, "compute_loss_func", None)
    own = own_loss(trainer) or (given is not None and not _of_library(given))
    if not own and _shifts(trainer.model):
        return {}
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        measured = _measured(trainer)
        copied = measured.get("copied")
        return measured if own else {"copied": copied} if copied else {}
    return {}


def _of_library(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(("trl.", "transformers."))


def _shifts(model: Any) -> bool:
    """Whether the model's own loss shifts the labels, as far as its code says so.

    The decoders of some models that read and write (MBartForCausalLM) leave that to the caller.
    """
    inner = getattr(model, "get_base_model", lambda: model)()
    try:
        code = inspect.getsource(type(inner).forward)
    except (OSError, TypeError):
        return True
    return any(word in code for word in SHIFT) or "labels.view(-1)" not in code


def _measured(trainer: Any) -> dict[str, float]:
    data = collator_rows(trainer)
    batch = prepared(trainer, [data[at] for at in range(min(len(data), ROWS))])
    labels = batch.get("labels")
    if labels is None or labels.dim() != 2:
        return {}
    model = trainer.model
    with exact(model), gradients_kept(model), _logits_seen(model) as outputs:
        trainer.compute_loss(model, dict(batch)).backward()
    gradients = [each.grad for each in outputs if each.grad is not None]
    if any(gradient.shape[:2] != labels.shape or gradient.dim() != 3 for gradient in gradients):
        return {}
    if len(gradients) == 1 and (copied := _copied(gradients[0], labels, batch["input_ids"])):
        return {"copied": copied}
    by_place = sum(gradient.abs().sum(-1) for gradient in gradients)
    if gradients and (rowless := _rowless(by_place, labels)):
        return {"rowless": rowless}
    if not bool((labels == -100).any()):
        return {}
    whole, left_out = float(by_place.sum()), labels[:, 1:] == -100
    outside = float(by_place[:, :-1][left_out].sum())
    if not whole:
        return {}
    return {"masked": outside / whole if outside > NOISE * whole else 0.0, "copied": 0.0}


def _rowless(by_place: Any, labels: Any) -> float:
    """The share of the rows with labels that the loss leaves out; 0 if it leaves out all."""
    taught, by_row = (labels[:, 1:] != -100).any(-1), by_place.sum(-1)
    left_out = taught & (by_row <= NOISE * by_row.max())
    kept = bool((taught & ~left_out).any())
    return float(left_out.sum()) / float(taught.sum()) if kept else 0.0


def _copied(gradient: Any, labels: Any, ids: Any) -> float:
    """The share of the places whose gradient raises the token that stands there, and no other.

    A place raises one token: that of the lowest gradient. 0 where the script has shifted the
    labels, and if most places do not raise their own token.
    """
    here, behind = labels[:, :-1], labels[:, 1:]
    learned = (here != -100) & (behind != -100) & (here != behind)
    if not bool(learned.any()) or not bool((here == ids[:, :-1])[learned].all()):
        return 0.0
    raised = gradient[:, :-1].argmin(-1)
    share = float((raised == here)[learned].float().mean())
    return share if share > MOST else 0.0


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
