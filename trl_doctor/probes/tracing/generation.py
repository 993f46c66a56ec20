"""What `generate` of transformers gives and holds while a step is traced: no loop over tokens."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any
from unittest import mock

from .log import GENERATION
from .tracker import Tracker

ROLES = ("eos", "pad", "bos")
LENGTH = 256


def generated(model: Any, tracker: Tracker, inputs: Any, arguments: dict[str, Any]) -> Any:
    """Completions that all have the full length: real ids, and scores if requested.

    The prompt passes through the model once; the cache is then as long as prompt and completion.
    """
    import torch

    ids = arguments.get("input_ids", inputs)
    config = arguments.get("generation_config")
    length = int(arguments.get("max_new_tokens") or getattr(config, "max_new_tokens", 0) or LENGTH)
    phase = tracker.phase
    tracker.enter(GENERATION)
    tracker.new = length
    plain = _plain(model)
    new = torch.full((ids.shape[0], length), plain, dtype=ids.dtype)
    out: Any = torch.cat([ids, new], 1)
    with torch.no_grad():
        _prefilled(model, tracker, ids, length, arguments.get("attention_mask"))
    if getattr(config, "return_dict_in_generate", False) or arguments.get(
        "return_dict_in_generate"
    ):
        words = model.get_output_embeddings().weight.shape[0]
        with tracker.faked():
            scores = tuple(torch.empty(ids.shape[0], words) for _ in range(length))
        out = mock.Mock(sequences=out, scores=scores, logits=scores)
    tracker.enter(phase)
    return out


def _prefilled(model: Any, tracker: Tracker, ids: Any, length: int, mask: Any) -> None:
    """Read the prompt, then hold the whole cache, and one layer's part of it twice.

    A longer cache is a copy of the shorter one: layer by layer, keys before values.
    """
    import torch

    output = model(input_ids=ids, attention_mask=mask, use_cache=True, **_last(model))
    tensors = list(_tensors(output.past_key_values))
    tracker.cache.update(map(tracker.number, tensors))
    grown = [
        ([size + length if size == ids.shape[1] else size for size in tensor.shape], tensor.dtype)
        for tensor in tensors
    ]
    del output, tensors
    gc.collect()  # a cache refers to itself
    with tracker.faked():
        cache = [torch.empty(shape, dtype=dtype) for shape, dtype in [*grown, *grown[-1:]]]
        tracker.cache.update(tracker.number(tensor) for tensor in cache)


def _last(model: Any) -> dict[str, int]:
    """How a model is asked for the logits of the last position only."""
    import inspect

    names = inspect.signature(model.forward).parameters
    keywords = ("logits_to_keep", "num_logits_to_keep")
    return {name: 1 for name in keywords if name in names}


def _tensors(value: Any, deep: int = 0) -> Iterator[Any]:
    """The tensors of a cache of four dimensions, whatever holds them."""
    import torch

    if isinstance(value, torch.Tensor):
        if value.dim() == 4:
            yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item, deep)
    elif hasattr(value, "__dict__") and deep < 3:
        for item in vars(value).values():
            yield from _tensors(item, deep + 1)


def _plain(model: Any) -> int:
    """An id that ends nothing."""
    special = {_first(getattr(model.config, f"{role}_token_id", None)) for role in ROLES}
    return next(number for number in range(3, 100) if number not in special)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and value else value
