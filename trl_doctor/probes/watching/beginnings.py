"""Sees how the rows of a trainer begin: with the bos token, without it, or with it twice."""

from __future__ import annotations

from typing import Any

from ..answers.rows import Beginnings
from ..processing import tokenizer_in

NAMES = ("prompt_input_ids", "input_ids", "chosen_input_ids", "input_ids_chosen")
"""The columns of a batch that can hold the beginning of a row, the prompt's first."""


def beginnings(tokenizer: Any, rows: list[list[int]]) -> Beginnings | None:
    """How rows of ids begin; None if the tokenizer has no bos, or there are no rows."""
    tokenizer = tokenizer_in(tokenizer)
    bos = getattr(tokenizer, "bos_token_id", None)
    if bos is None or not rows:
        return None
    return Beginnings(
        bos=str(tokenizer.bos_token),
        adds=list(tokenizer("a")["input_ids"])[:1] == [bos],
        rows=len(rows),
        without=sum(row[:1] != [bos] for row in rows),
        twice=sum(row[:2] == [bos, bos] for row in rows),
    )


def of_batch(batch: Any) -> list[list[int]]:
    """The rows of a collated batch, without padding; none if it has no ids."""
    name = next((name for name in NAMES if name in batch), None)
    if name is None:
        return []
    return unpadded(batch[name], batch.get(name.replace("input_ids", "attention_mask")))


def unpadded(ids: Any, mask: Any) -> list[list[int]]:
    """The rows of a tensor of ids, without those that its attention mask leaves out."""
    rows: list[list[int]] = ids.tolist()
    if mask is None or getattr(mask, "shape", None) != ids.shape:
        return rows
    return [[id for id, flag in zip(*pair) if flag] for pair in zip(rows, mask.tolist())]
