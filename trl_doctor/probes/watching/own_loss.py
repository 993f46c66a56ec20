"""Which tokens a loss of the script's own teaches the model, by its gradient at the logits."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from .alignment import own_loss
from .labels import collator_rows, prepared
from .logit_gradients import at_logits
from .model_shift import kind, looks_further, shifts_tokens
from .unlearned import of_places

SHIFT = ("shift", "loss_function(", "labels[..., 1:]", "labels[:, 1:]")
"""What the code of a model that shifts its labels has."""

OTHERS = ("ForMaskedLM", "ForPreTraining", "Classification", "QuestionAnswering")
"""What the names of models have whose logits are not those of the next tokens."""

FEWEST, ROWS = 3, 4
"""The rows of the batch, at least where they are compared, and at most."""

PAIR = 2
"""The rows of a batch from which on one of them is padded."""

MOST = 0.9
"""The share of the places from which on a loss teaches the model its own input."""

NOISE = 1e-4
"""The share of a gradient up to which it is taken for a rounding error."""


def of_own_loss(trainer: Any) -> dict[str, Any]:
    """What the gradient shows; empty for losses of a library that shift the labels.

    `masked` is its share at predictions of tokens with a label of -100, `padded` that at padding in
    batches without labels, `copied` the share of the places that are to predict their own token,
    `rowless` the share of the rows that are left out by their place. A cross-entropy of the labels
    has 0 of all. For these, and for batches that have a mask in place of labels, `of_places` adds
    its own. Empty where the logits are not seen, or are those of other tokens. It raises nothing.
    """
    if not predicts_next(trainer.model):
        return {}
    given = getattr(trainer, "compute_loss_func", None)
    own = own_loss(trainer) or (given is not None and not _of_library(given))
    own_class = own or not _of_library(type(trainer))
    if not own_class and _shifts(trainer.model):
        return {}
    found = dict[str, Any]()
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        if shifts_tokens(trainer):
            return {}
        found = of_places(trainer) if own_class else {}
        if found.get("ahead") and looks_further(trainer.model):
            return {}
    if found.get("copied") or found.get("ahead") or (not own and _shifts(trainer.model)):
        return found
    with contextlib.suppress(Exception):
        measured = _measured(trainer)
        copied = measured.get("copied")
        found.update(measured if own else {"copied": copied} if copied else {})
    return found


def predicts_next(model: Any) -> bool:
    """Whether a model's logits are those of the next tokens, as far as its class says so."""
    names = [one.__name__ for one in kind(model).__mro__]
    return not any(word in name for name in names for word in OTHERS)


def _of_library(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(("trl.", "transformers."))


def _shifts(model: Any) -> bool:
    """Whether the model's own loss shifts the labels, as far as its code says so.

    The decoders of some models that read and write (MBartForCausalLM) leave that to the caller.
    """
    try:
        code = inspect.getsource(kind(model).forward)
    except (OSError, TypeError):
        return True
    return any(word in code for word in SHIFT) or "labels.view(-1)" not in code


def _measured(trainer: Any) -> dict[str, float]:
    data = collator_rows(trainer)
    rows = [data[at] for at in range(min(len(data), ROWS))]
    batch, gradients = _gradients(trainer, rows)
    if batch is None or not gradients:
        return _padded(trainer, rows)
    labels = batch["labels"]
    if len(gradients) == 1 and (copied := _copied(gradients[0], labels, batch["input_ids"])):
        return {"copied": copied}
    by_place = _by_place(gradients)
    alike = len({tuple(ids) for ids in batch["input_ids"].tolist()}) < len(rows)
    taught = None if alike else _taught(labels, by_place)
    if rowless := _rowless(trainer, rows, taught):
        return {"rowless": rowless}
    if trainer.args.per_device_train_batch_size > 1:
        return _masked([(labels, by_place)])
    return _masked(list(_alone(trainer, rows)))


def _alone(trainer: Any, rows: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The labels and the gradient of each row without padding, as batches of one row have them."""
    for row in rows:
        batch, gradients = _gradients(trainer, [row])
        if batch is not None and gradients:
            yield batch["labels"], _by_place(gradients)


def _masked(batches: Sequence[tuple[Any, Any]]) -> dict[str, float]:
    """The share of the gradient at labels of -100; empty where no label is."""
    whole = outside = 0.0
    masks = [labels == -100 for labels, _ in batches]
    for mask, (_, by_place) in zip(masks, batches):
        whole += float(by_place.sum())
        outside += float(by_place[:, :-1][mask[:, 1:]].sum())
    if not whole or not any(bool(mask.any()) for mask in masks):
        return {}
    return {"masked": outside / whole if outside > NOISE * whole else 0.0, "copied": 0.0}


def _padded(trainer: Any, rows: list[Any]) -> dict[str, float]:
    """The share of the gradient at padding, of a batch without labels; empty if it has none.

    The first token behind a text is left alone: where the same token ends and pads, it is the end.
    """
    batch = prepared(trainer, rows)
    if "labels" in batch or trainer.args.per_device_train_batch_size < PAIR:
        return {}
    whole = outside = 0.0
    filled = False
    for gradient, given in at_logits(trainer, batch):
        mask = _mask_of(batch, given)
        if mask is None or gradient.dim() != 3 or gradient.shape[:2] != mask.shape:
            return {}
        padding = (mask[:, 1:] == 0) & ((mask[:, :-1] == 0) | (mask.cumsum(-1)[:, :-1] == 0))
        by_place = gradient.abs().sum(-1)[:, :-1]
        filled = filled or bool(padding.any())
        whole += float(by_place.sum())
        outside += float(by_place[padding].sum())
    return {"padded": outside / whole if outside > NOISE * whole else 0.0} if filled else {}


def _mask_of(batch: Any, given: Any) -> Any:
    """The attention mask of the tokens that a model got, by their name in the batch."""
    shape, tensors = getattr(given, "shape", ()), dict(batch)
    for name in [name for name in tensors if name.endswith("input_ids")]:
        tokens, mask = tensors[name], tensors.get(name.replace("input_ids", "attention_mask"))
        if mask is not None and tokens.shape == shape and bool((tokens == given).all()):
            return mask
    return None


def _gradients(trainer: Any, rows: list[Any]) -> tuple[Any, list[Any]]:
    """A batch of these rows, and the gradient of the loss at the logits of each call.

    None where the batch has no labels for each token, or the model got other tokens than the
    batch has: what its logits are compared with is then not known.
    """
    batch = prepared(trainer, rows)
    ids, labels = batch.get("input_ids"), batch.get("labels")
    if ids is None or labels is None or labels.shape != ids.shape or labels.dim() != 2:
        return None, []
    learned = at_logits(trainer, batch)
    for gradient, given in learned:
        same = given is not None and given.shape == ids.shape and bool((given == ids).all())
        if not same or gradient.dim() != 3 or gradient.shape[:2] != ids.shape:
            return None, []
    return batch, [gradient for gradient, _ in learned]


def _by_place(gradients: list[Any]) -> Any:
    """How much the loss changes the logits at each place of the batch."""
    return sum(gradient.abs().sum(-1) for gradient in gradients)


def _taught(labels: Any, by_place: Any) -> list[bool] | None:
    """For each row whether the loss teaches it; None if a row has no labels."""
    by_row = by_place.sum(-1)
    if not bool((labels[:, 1:] != -100).any(-1).all()):
        return None
    taught: list[bool] = (by_row > NOISE * by_row.max()).tolist()
    return taught


def _rowless(trainer: Any, rows: list[Any], taught: list[bool] | None) -> float:
    """The share of the rows that the loss leaves out by their place in the batch.

    It teaches one row alone, or all but the first or the last. A loss that leaves out rows by what
    they are (hard ones, those of weight 0) leaves out the same rows at other places.
    """
    if taught is None or len(rows) < FEWEST or trainer.args.per_device_train_batch_size < 2:
        return 0.0
    one, ends = sum(taught) == 1, all(taught[1:-1]) and taught[0] != taught[-1]
    if not one and not ends:
        return 0.0
    for turn in range(1, len(rows)):
        batch, gradients = _gradients(trainer, rows[turn:] + rows[:turn])
        if batch is None or not gradients:
            return 0.0
        if _taught(batch["labels"], _by_place(gradients)) != taught:
            return 0.0
    return 1 - sum(taught) / len(taught)


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
