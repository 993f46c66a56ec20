"""Models that do not predict the next token at each place: their losses shift in another way."""

from __future__ import annotations

import inspect
from typing import Any

from .labels import collator_rows, prepared
from .row_losses import exact

LIBRARIES = ("transformers.", "trl.", "peft.")


def kind(model: Any) -> Any:
    """The class of a model, without the adapter around it."""
    return type(getattr(model, "get_base_model", lambda: model)())


def _of_script(model: Any) -> bool:
    """Whether a class of the script's own says what the model does with its tokens."""
    forward = inspect.unwrap(kind(model).forward)
    return not str(forward.__module__).startswith(LIBRARIES)


def shifts_tokens(trainer: Any) -> bool:
    """Whether the logits at a place do not depend on its token: the model has moved its tokens."""
    if not _of_script(trainer.model):
        return False
    batch = prepared(trainer, [collator_rows(trainer)[0]])
    ids = batch["input_ids"][:1]
    at = ids.shape[1] // 2
    changed = ids.clone()
    changed[0, at] = ids[0, at - 1] if ids[0, at - 1] != ids[0, at] else (ids[0, at] + 1) % 2
    import torch

    with torch.no_grad(), exact(trainer.model):
        first, other = (trainer.model(input_ids=one).logits for one in (ids, changed))
    return bool(torch.allclose(first[0, at], other[0, at]))


def looks_further(model: Any) -> bool:
    """Whether a model may be meant to predict the token after the next one.

    One of the script's own, and one whose output layer alone is trained: a second head.
    """
    head = getattr(model, "get_output_embeddings", lambda: None)()
    of_head = {id(weights) for weights in getattr(head, "parameters", tuple)()}
    trained = {id(weights) for weights in model.parameters() if weights.requires_grad}
    return _of_script(model) or trained <= of_head
