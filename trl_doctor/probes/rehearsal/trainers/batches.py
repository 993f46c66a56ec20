"""A batch and a schedule as the run has them: rows of different lengths may meet only there."""

from __future__ import annotations

from typing import Any

from ..record import world
from ..settings.cutting import BATCH, ONLINE
from . import configs, schedules
from .own_state import untouched

SIZE, USUAL, MOST = "per_device_train_batch_size", 8, 32
"""The argument, its default, and the most rows that are drawn."""

HELD = "_train_batch_size"
"""Where the trainer of transformers keeps it."""


def begun(trainer: Any) -> None:
    """Do what the run does before its first step, and a rehearsal does in another way."""
    with untouched(trainer):
        drawn(trainer)
        schedules.made(trainer)


def drawn(trainer: Any) -> None:
    """Draw one batch of the script's own size, as the first step does; raises what that raises.

    Nothing is drawn for trainers that generate, which draw prompts in groups, and in a rehearsal of
    several processes.
    """
    batches = vars(trainer).get(HELD)
    size = vars(trainer.args).get(configs.OWN, {}).get(SIZE, USUAL)
    generates = any(hasattr(trainer.args, name) for name in ONLINE)
    if batches is None or generates or world() > 1 or not BATCH < size <= MOST:
        return
    try:
        setattr(trainer, HELD, size)
        next(iter(trainer.get_train_dataloader()), None)
    finally:
        setattr(trainer, HELD, batches)
