"""Decodes the first row of a trainer's batch, and marks the tokens that have a loss."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ..answers.segment import Segment
from ..processing import tokenizer_in
from .labels import collator_rows
from .turns import PROMPT, side

ANSWER = "completion_input_ids"
SIDES = {
    ANSWER: "completion",
    "chosen_input_ids": "chosen",
    "input_ids_chosen": "chosen",
    "rejected_input_ids": "rejected",
    "input_ids_rejected": "rejected",
}
"""Columns of ids in a batch, where each side of a row has its own, with the name of the side."""
PAIR = ("chosen", "rejected")

REPEATS = 4
"""So many equal tokens in a row are written once, with their number."""
LONGEST = 600
"""Characters that are kept at each end of a long text."""
MOST = 40
"""Segments of a row that are kept."""

Tokens = list[tuple[int, bool]]
"""Ids, each with whether it has a loss."""


def first_row(trainer: Any) -> tuple[Segment, ...]:
    """The first row as the trainer's own collator makes it; empty if its batch has no ids.

    It raises nothing: a row that cannot be collated fails in the step.
    """
    with contextlib.suppress(Exception):
        return segments(trainer.processing_class, _first_batch(trainer))
    return ()


def _first_batch(trainer: Any) -> Any:
    """The first row in a batch of its own; transformers treats streams in another way."""
    if hasattr(trainer.train_dataset, "select"):
        return trainer.data_collator([collator_rows(trainer)[0]])
    collate = trainer._get_collator_with_removed_columns(trainer.data_collator, "training")
    return collate([next(iter(trainer.train_dataset))])


def first_prompt(tokenizer: Any, prompts: Sequence[Sequence[int]]) -> tuple[Segment, ...]:
    """The first of the prompts that a model got; empty if there are none."""
    with contextlib.suppress(Exception):
        return tuple(_segments(tokenizer, "prompt", [(id, False) for id in prompts[0]]))
    return ()


def segments(tokenizer: Any, batch: Any) -> tuple[Segment, ...]:
    """The segments of a batch of one row: its sides, each cut where the loss begins or ends."""
    prompt = side(batch, PROMPT)[0] if PROMPT in batch else []
    parts = list(_segments(tokenizer, "prompt", [(id, False) for id in prompt]))
    for name, tokens in _sides(batch):
        tokens = tokens[len(prompt) :] if _begins(tokens, prompt) else tokens
        parts += [part for part in _segments(tokenizer, name, tokens) if part not in parts]
    return tuple(parts[:MOST])


def _sides(batch: Any) -> Iterator[tuple[str, Tokens]]:
    for column, name in SIDES.items():
        if column in batch:
            labels = batch.get(column.replace("input_ids", "labels"))
            mask = batch.get(column.replace("input_ids", "attention_mask"))
            name = _judged(batch, name) if column == ANSWER else name
            yield name, _marked(batch[column], mask, labels, None)[0]
    if "input_ids" in batch:
        ids, mask = batch["input_ids"], batch.get("attention_mask")
        rows = _marked(ids, mask, batch.get("labels"), batch.get("completion_mask"))
        names = PAIR if len(rows) == len(PAIR) else (_judged(batch, ""),)
        yield from zip(names, rows)


def _judged(batch: Any, name: str) -> str:
    """The name of an answer's side: where a batch judges it, the judgement."""
    if "label" not in batch:
        return name
    return "desirable" if _listed(batch["label"])[0] else "undesirable"


def _marked(ids: Any, mask: Any, labels: Any, completion: Any) -> list[Tokens]:
    """The rows without padding; a token with a label is replaced by the label."""
    rows = []
    for at, row in enumerate(_listed(ids)):
        here = _listed(mask)[at] if mask is not None else [1] * len(row)
        if labels is not None:
            targets = _listed(labels)[at]
            tokens = [(id if to == -100 else to, to != -100) for id, to in zip(row, targets)]
        elif completion is not None:
            tokens = [(id, bool(flag)) for id, flag in zip(row, _listed(completion)[at])]
        else:
            tokens = [(id, True) for id in row]
        labelled = labels is not None
        rows.append([token for token, keep in zip(tokens, here) if keep or (labelled and token[1])])
    return rows


def _listed(rows: Any) -> list[Any]:
    return list(rows.tolist() if hasattr(rows, "tolist") else rows)


def _begins(tokens: Tokens, prompt: list[int]) -> bool:
    return bool(prompt) and [id for id, _ in tokens[: len(prompt)]] == prompt


def _segments(tokenizer: Any, name: str, tokens: Tokens) -> Iterator[Segment]:
    words = tokenizer_in(tokenizer)
    for learned, group in itertools.groupby(tokens, key=lambda token: token[1]):
        ids = [id for id, _ in group]
        yield Segment(
            name=name if learned or not name else "prompt",
            text=_shortened(_decoded(words, ids)),
            tokens=len(ids),
            learned=learned,
        )


def _decoded(tokenizer: Any, ids: list[int]) -> str:
    """The text of ids; many equal tokens are written once."""
    text = ""
    rest: list[int] = []

    def decode(part: list[int]) -> str:
        return str(tokenizer.decode(part, skip_special_tokens=False)) if part else ""

    for _, group in itertools.groupby(ids):
        run = list(group)
        if len(run) < REPEATS:
            rest += run
            continue
        text += f"{decode(rest)}{decode(run[:1])}[×{len(run)}]"
        rest = []
    return text + decode(rest)


def _shortened(text: str) -> str:
    left_out = len(text) - 2 * LONGEST
    if left_out <= 0:
        return text
    return f"{text[:LONGEST]}[… {left_out:,} characters …]{text[-LONGEST:]}"
