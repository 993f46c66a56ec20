"""Rows to evaluate on that have a loss on all of their tokens, where those to train on have not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ....processing import processing_of
from ....watching.labels import collator_rows, prepared
from ...record import Mistake
from ...rows.compared import one_test

COMPARED, FEWEST = 8, 2
"""Rows of each kind that are compared, at most and at least."""

MARK = 8
"""Tokens before the first learned one that are compared, at most."""

IGNORED = -100

Learned = tuple[list[int], list[int]]
"""The tokens of a row, and their labels."""


def of_other_labels(trainer: Any) -> Iterator[Mistake]:
    """An evaluation of the questions, too, in a run that learns the answers alone.

    The rows to train on are masked up to the same tokens, those that open an answer. The rows to
    evaluate on have these tokens, and no mask. Rows of another form are left alone.
    """
    args: Any = trainer.args
    if getattr(args, "packing", False) or getattr(args, "eval_packing", False):
        return
    with contextlib.suppress(Exception):  # rows, or a collator, of another kind
        test = one_test(trainer.eval_dataset)
        trained = _first(trainer, collator_rows(trainer))
        tried = _first(trainer, trainer._remove_unused_columns(test, "evaluation"))
        collates = getattr(trainer.data_collator, "tokenizer", None)
        tokenizer: Any = processing_of(trainer) or collates
        mark = _mark(trained, tokenizer) if len(tried) >= FEWEST else []
        if mark and all(IGNORED not in labels and _has(ids, mark) for ids, labels in tried):
            words = [str(len(tried)), tokenizer.decode(mark).strip()]
            yield Mistake("evaluation has no mask", words)


def _first(trainer: Any, rows: Any) -> list[Learned]:
    """The first rows as the collator gives each of them."""
    found = []
    for at in range(min(len(rows), COMPARED)):
        batch = prepared(trainer, [rows[at]])
        found.append((batch["input_ids"][0].tolist(), batch["labels"][0].tolist()))
    return found


def _mark(rows: Sequence[Learned], tokenizer: Any) -> list[int]:
    """The tokens that stand before the first learned one in all rows; none if they are too few."""
    fronts = [_front(*row) for row in rows]
    if len(rows) < FEWEST or len({*map(tuple, fronts)}) < FEWEST:
        return []
    mark = list[int]()
    for tokens in zip(*(front[: -MARK - 1 : -1] for front in fronts)):
        if len({*tokens}) > 1:
            break
        mark.insert(0, tokens[0])
    special = {*tokenizer.all_special_ids}
    return mark if len(mark) > 1 or not special.isdisjoint(mark) else []


def _front(ids: list[int], labels: list[int]) -> list[int]:
    """What is masked before the first learned token."""
    learned = [at for at, label in enumerate(labels) if label != IGNORED]
    return ids[: learned[0]] if learned else []


def _has(ids: list[int], mark: list[int]) -> bool:
    return any(ids[at : at + len(mark)] == mark for at in range(len(ids)))
