"""What the candidate's model class does with what the trainer passes to its forward."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from .answers.forward import Backbone, ForwardAnswer
from .logits.logps import measured
from .refusal import Refused
from .small_model.shrink import shrunken

KEYWORDS = ("logits_to_keep", "num_logits_to_keep")
LENGTH, KEPT = 12, 6
"""Positions of the sequences here, and how many of them are asked for."""


def answer(request: dict[str, Any]) -> ForwardAnswer:
    """One forward pass of the shrunken policy for each keyword, and the trainer's own."""
    import torch

    tiny = shrunken(request, "policy", Path("policy"))
    model = tiny.loaded(bool(request["trust_remote_code"]), torch.float32)
    parameters = inspect.signature(model.forward).parameters
    ids = torch.randint(tiny.vocabulary, (2, LENGTH), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        returned = {name: _returned(model, ids, name) for name in KEYWORDS}
        backbone = _backbone(model, ids)
    by_trainer, refused = None, ""
    try:
        by_trainer = measured(request, tiny, model, ids)
    except Refused as reason:
        refused = str(reason)
    return ForwardAnswer(
        architecture=tiny.architecture,
        layers=tiny.layers,
        vocabulary=tiny.vocabulary,
        takes=tuple(name for name in KEYWORDS if name in parameters),
        takes_any=any(value.kind is value.VAR_KEYWORD for value in parameters.values()),
        positions=LENGTH,
        requested=KEPT,
        returned=returned,
        backbone=backbone,
        trainer=by_trainer,
        refused=refused,
    )


def _returned(model: Any, ids: Any, keyword: str) -> int | str:
    """How many positions come back where `KEPT` are asked for, or what is raised."""
    import torch

    try:
        output = model(input_ids=ids, attention_mask=torch.ones_like(ids), **{keyword: KEPT})
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()[:300]}"
    return int(output.logits.shape[1])


def _backbone(model: Any, ids: Any) -> Backbone:
    """Whether hidden states can be had without the output layer, and that layer's weight."""
    head = model.get_output_embeddings()
    inner = model.base_model
    try:
        hidden: bool | str = hasattr(inner(input_ids=ids, use_cache=False), "last_hidden_state")
    except Exception as error:
        hidden = f"{type(error).__name__}: {str(error).strip()[:300]}"
    return Backbone(
        prefix=model.base_model_prefix,
        resolves=inner is not model,
        hidden=hidden,
        head=hasattr(head, "weight") and hasattr(head, "bias"),
    )
