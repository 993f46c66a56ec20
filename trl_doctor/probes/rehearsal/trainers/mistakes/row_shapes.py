"""Where a loss of the script's own combines each row of a batch with the values of all others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sized
from typing import Any

from ....watching.labels import collator_rows
from ....watching.logit_gradients import counted
from ...kinds import LIBRARIES, package_of
from ...record import Mistake
from ...where import TORCH, At, called_by_user
from ..classes import released
from ..step import learns_from_rows
from .shape_watch import Mixed, ShapeWatch

SIZES = (3, 4)
"""The rows of the two batches: what is as long as a batch by chance is so in one of them only."""

MOST = 3
"""The lines that are told, at most."""


def of_shapes(trainer: Any) -> Iterator[Mistake]:
    """Operations of the script's own on tensors of the shapes (n, 1) and (n,), of n rows."""
    if not _has_own_code(trainer):
        return
    first, second = (_seen(trainer, size) for size in SIZES)
    for at, mixed in list(first.items())[:MOST]:
        again = second.get(at)
        if again and mixed.rows * SIZES[1] == again.rows * SIZES[0]:
            words = [mixed.operation, *map(str, mixed.shapes), str(mixed.rows)]
            yield Mistake("rows mixed by shape", words, at)


def _has_own_code(trainer: Any) -> bool:
    """Whether the script has made a part of the loss, and the loss is of the rows themselves."""
    kind = type(trainer)
    if not learns_from_rows(trainer) and package_of(released(kind)) != "transformers":
        return False
    parts = (kind, kind.compute_loss, getattr(trainer, "compute_loss_func", None),
             type(trainer.model))  # fmt: skip
    return any(part is not None and package_of(part) not in LIBRARIES for part in parts)


def _seen(trainer: Any, size: int) -> dict[At, Mixed]:
    """What the loss of a batch of so many rows mixes, by the line."""
    watch = ShapeWatch(lambda: called_by_user(TORCH))
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        batch = _batch(trainer, size)
        given = counted(trainer, batch)
        with watch.watched(), trainer.compute_loss_context_manager():
            trainer.compute_loss(trainer.model, batch, **given)
    return watch.found()


def _batch(trainer: Any, size: int) -> Any:
    """A batch of the first rows; they may be in a list, or in a data set of the script's own."""
    data = trainer.train_dataset
    if not isinstance(data, Sized):
        data = collator_rows(trainer)
    collate = trainer._get_collator_with_removed_columns(trainer.data_collator, "training")
    return trainer._prepare_inputs(collate([data[at % len(data)] for at in range(size)]))
