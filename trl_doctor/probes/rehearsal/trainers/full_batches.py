"""Says whether every batch of the run has as many rows as its config says."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from ..record import of_the_job
from . import configs

COUNTED = "_trl_doctor_count"
"""The attribute of a trainer with the number of its rows, and whether the job has no more."""


def count(trainer: Any, *, whole: bool) -> None:
    """Remember how many rows a trainer has, before a rehearsal trains on a few of them."""
    rows = getattr(trainer, "train_dataset", None)
    if isinstance(rows, Sized):
        vars(trainer)[COUNTED] = (len(rows), whole)


def all_batches_full(trainer: Any) -> bool:
    """Whether the run ends before the last batch of an epoch, or its rows fill that one, too."""
    if COUNTED not in vars(trainer):
        return False
    rows, whole = vars(trainer)[COUNTED]
    own = getattr(trainer.args, configs.OWN, None) or {}
    names = ("per_device_train_batch_size", "gradient_accumulation_steps", "max_steps")
    size, accumulated, steps = (own.get(name, usual) for name, usual in zip(names, (8, 1, -1)))
    if not all(isinstance(number, int) for number in (size, accumulated, steps)):
        return False
    size *= of_the_job()
    ends_before = 0 < steps * size * accumulated <= rows
    return bool(ends_before or (whole and rows % size == 0))
