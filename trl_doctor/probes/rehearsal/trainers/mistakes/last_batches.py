"""A loss or a collator of the script's own that needs as many rows as a batch has."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ....watching.alignment import own_loss
from ....watching.labels import collator_rows, prepared
from ...kinds import LIBRARIES, package_of
from ...record import Mistake, of_the_job
from ..classes import released
from ..full_batches import batches_of, last_batch, size_of_batch

LARGEST = 64
"""Rows of a batch of the run that is tried, at most."""
BATCHED = frozenset({"SFTTrainer", "RewardTrainer", "Trainer", "Seq2SeqTrainer"})
"""Trainers that give a batch of rows to the loss as the collator made it."""


def of_size(trainer: Any) -> Iterator[Mistake]:
    """A loss that fails on a batch of another size than the run's."""
    name = released(type(trainer)).__name__  # all trainers are derived from `Trainer`
    if name not in BATCHED or trainer.args.dataloader_drop_last:
        return
    last = last_batch(trainer)
    if last is not None and of_the_job() == 1:
        found = _of_last(trainer, last)
        if found is not None:
            yield from found
            return
    if not own_loss(trainer) or last == 0:
        return
    size = trainer.args.per_device_train_batch_size
    with contextlib.suppress(Exception):
        data = collator_rows(trainer)
        _loss(trainer, data, size)
        try:
            _loss(trainer, data, size + 1)
        except Exception as error:
            words = [f"{type(error).__name__}: {str(error)[:120]}"]
            yield Mistake("loss of full batches", words)


def _of_last(trainer: Any, last: int) -> list[Mistake] | None:
    """A loss or a collator that fails on the last batch of an epoch, which has so many rows.

    None if it fails on a whole batch, too: it may have been made for the smaller ones here.
    """
    size = size_of_batch(trainer)
    names = ("data_collator", "get_train_dataloader", "_get_train_sampler")
    made = [package_of(getattr(trainer, name, None)) for name in names]
    collates, *loads = (package not in {"", "torch", *LIBRARIES} for package in made)
    if not last or any(loads) or not 0 < size <= LARGEST or not (own_loss(trainer) or collates):
        return []
    with batches_of(trainer, size), contextlib.suppress(Exception):
        data = collator_rows(trainer)
        _loss(trainer, data, size)
        try:
            _loss(trainer, data, last)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error)[:120]}"
            return [Mistake("last batch fails", [str(last), str(size), said])]
        return []
    return None


def _loss(trainer: Any, data: Any, rows: int) -> None:
    import torch

    batch = prepared(trainer, [data[at % len(data)] for at in range(rows)])
    with torch.no_grad():
        trainer.compute_loss(trainer.model, batch)
