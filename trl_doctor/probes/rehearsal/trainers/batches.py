"""A batch and a schedule as the run has them: rows of different lengths may meet only there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sized
from typing import Any

from ..kinds import LIBRARIES, package_of
from ..record import Mistake, Record, world
from ..rows.data import Data
from ..settings.cutting import BATCH, ONLINE
from . import schedules
from .full_batches import batches_of, counted, size_of_batch
from .own_state import untouched

MOST, MOST_NUMBERS = 64, 20_000
"""The most rows that are drawn, and the most numbers of rows that are looked at."""

HELD = "_train_batch_size"
"""Where the trainer of transformers keeps it."""


def begin(trainer: Any, data: Data, record: Record, at: Any) -> None:
    """Do what the run does before its first step, and a rehearsal does in another way.

    Where the rows are fewer than the job's, a mistake is looked for again with more of them.
    """
    for mistake in _begun(trainer):
        if data.count(trainer.train_dataset) == len(trainer.train_dataset):
            record.mistake(mistake, at)
        else:
            record.add("larger fails", at=at)


def _begun(trainer: Any) -> Iterator[Mistake]:
    """That the rows make no batch, where there are some, or that one is asked for behind them."""
    with untouched(trainer):
        if not drawn(trainer) and (rows := len(trainer.train_dataset)):
            yield Mistake("no batch", [str(rows), str(size_of_batch(trainer))])
        schedules.made(trainer)
        yield from _beyond(trainer)


def _beyond(trainer: Any) -> Iterator[Mistake]:
    """A number beyond the last row, where the script draws the numbers of the rows.

    The few steps of a rehearsal may not come to it. If all rows are here, it raises what that does.
    """
    rows: Any = trainer.train_dataset
    own = package_of(getattr(trainer, "_get_train_sampler", None)) not in {"", *LIBRARIES}
    count, whole = counted(trainer) or (0, False)
    if not own or not whole:
        return
    loader = trainer.get_train_dataloader()
    sampler = getattr(getattr(loader, "batch_sampler", None), "sampler", ())
    for number in itertools.islice(iter(sampler), MOST_NUMBERS):
        if isinstance(number, int) and number >= count:
            if count == len(rows):
                rows[number]
            yield Mistake("row beyond the last", [str(number), str(count)])
            return


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
    try:
        setattr(trainer, HELD, size)
        with batches_of(trainer, size):
            batch = next(iter(trainer.get_train_dataloader()), None)
        return batch is not None or not isinstance(trainer.train_dataset, Sized)
    finally:
        setattr(trainer, HELD, batches)
