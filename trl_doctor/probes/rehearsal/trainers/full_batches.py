"""Counts the rows of the run's batches, and of the last one of an epoch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sized
from typing import Any

from ..record import of_the_job
from . import configs

COUNTED = "_trl_doctor_count"
"""The attribute of a trainer with the number of its rows, and whether the job has no more."""
SIZE = "per_device_train_batch_size"


def count(trainer: Any, known: int | None) -> None:
    """Remember how many rows a trainer has, before a rehearsal trains on a few of them.

    `known` are those that the job has; None if it may have more than there are here.
    """
    rows = getattr(trainer, "train_dataset", None)
    if isinstance(rows, Sized):
        vars(trainer)[COUNTED] = (known or len(rows), known is not None)


def counted(trainer: Any) -> tuple[int, bool] | None:
    """How many rows a trainer has, and whether the job has no more; None if it has no number."""
    found: tuple[int, bool] | None = vars(trainer).get(COUNTED)
    return found


def size_of_batch(trainer: Any) -> int:
    """The rows of a batch of one process of the run, as its config says; 0 if it says no number."""
    size = configs.own_of(trainer.args).get(SIZE, 8)
    return size if isinstance(size, int) else 0


@contextlib.contextmanager
def batches_of(trainer: Any, size: int) -> Iterator[None]:
    """While this lasts, a batch of one process has so many rows."""
    before = getattr(trainer.args, SIZE)
    setattr(trainer.args, SIZE, size)
    try:
        yield
    finally:
        setattr(trainer.args, SIZE, before)


def last_batch(trainer: Any) -> int | None:
    """The rows of a smaller batch at the end of an epoch; 0 if there is none, None if not known."""
    known = counted(trainer)
    if known is None:
        return None
    rows, whole = known
    own = configs.own_of(trainer.args)
    names = (SIZE, "gradient_accumulation_steps", "max_steps")
    size, accumulated, steps = (own.get(name, usual) for name, usual in zip(names, (8, 1, -1)))
    if not all(isinstance(number, int) and number for number in (size, accumulated, steps)):
        return None
    size *= of_the_job()
    if 0 < steps * size * accumulated <= rows:
        return 0
    return rows % size if whole else None
