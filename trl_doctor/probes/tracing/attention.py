"""Attention as on a GPU while a step is traced, where a CPU has no kernel for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock


@contextlib.contextmanager
def gpu_attention() -> Iterator[None]:
    """While this lasts attention needs no matrix of scores where a GPU needs none.

    PyTorch on a CPU has no such kernel for keys and values with heads of different sizes (DeepSeek
    V3); on a GPU the memory-efficient one takes them.
    """
    import torch

    functional = torch.nn.functional
    usual = functional.scaled_dot_product_attention

    def attention(query: Any, key: Any, value: Any, *args: Any, **keywords: Any) -> Any:
        if query.shape[-1] == value.shape[-1]:
            return usual(query, key, value, *args, **keywords)
        return _efficient(query, key, value, *args, **keywords)

    with mock.patch.object(functional, "scaled_dot_product_attention", attention):
        yield


def _efficient(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """The kernel that `scaled_dot_product_attention` chooses on a GPU, with what it is given."""
    import torch

    if enable_gqa:
        times = query.shape[1] // key.shape[1]
        key, value = (states.repeat_interleave(times, 1) for states in (key, value))
    bias = attn_mask
    if bias is not None:
        if bias.dtype == torch.bool:
            bias = torch.zeros_like(bias, dtype=query.dtype).masked_fill_(~bias, float("-inf"))
        bias = bias.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])
    kernel = torch.ops.aten._scaled_dot_product_efficient_attention
    needed = torch.is_grad_enabled() and query.requires_grad
    return kernel(query, key, value, bias, needed, dropout_p, is_causal, scale=scale)[0]
