"""Whether the processes that load the rows can be started, where each begins as a new Python."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ...record import Mistake
from ..configs import own_of

NAMES = ("data_collator", "train_dataset")
"""What each worker gets, by its attribute of the trainer."""


def of_workers(trainer: Any) -> Iterator[Mistake]:
    """A collator or rows that no worker can be given: they are pickled if workers are no forks."""
    given = own_of(trainer.args)
    method = multiprocessing.get_start_method()
    if not given.get("dataloader_num_workers") or method == "fork":
        return
    for name in NAMES:
        value = getattr(trainer, name, None)
        try:
            ForkingPickler.dumps(value)
        except Exception as error:
            yield Mistake(name, [method, f"{type(error).__name__}: {error}"])
            return
