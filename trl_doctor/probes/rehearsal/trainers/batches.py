"""A batch and a schedule as the run has them: rows of different lengths may meet only there."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import Any

from ..record import Mistake, world
from ..settings.cutting import BATCH, ONLINE
from . import schedules
from .full_batches import size_of_batch
from .own_state import untouched

MOST = 64
"""The most rows that are drawn."""

HELD = "_train_batch_size"
"""Where the trainer of transformers keeps it."""


def begun(trainer: Any) -> Iterator[Mistake]:
    """Do what the run does before its first step, and a rehearsal does in another way.

    Yields that the rows make no batch, where there are some.
    """
    with untouched(trainer):
        if not drawn(trainer) and (rows := len(trainer.train_dataset)):
            yield {"what": "no batch", "words": [str(rows), str(size_of_batch(trainer))]}
        schedules.made(trainer)


def drawn(trainer: Any) -> bool:
    """Draw one batch of the script's own size, as the first step does; raises what that raises.

    Says whether there is one, also where none was drawn.

    Nothing is drawn for trainers that generate, which draw prompts in groups, and in a rehearsal of
    several processes.
    """
    batches = vars(trainer).get(HELD)
    size = size_of_batch(trainer)
    generates = any(hasattr(trainer.args, name) for name in ONLINE)
    if batches is None or generates or world() > 1 or not BATCH < size <= MOST:
        return True
    before = trainer.args.per_device_train_batch_size
    try:
        setattr(trainer, HELD, size)
        trainer.args.per_device_train_batch_size = size
        batch = next(iter(trainer.get_train_dataloader()), None)
        return batch is not None or not isinstance(trainer.train_dataset, Sized)
    finally:
        setattr(trainer, HELD, batches)
        trainer.args.per_device_train_batch_size = before
