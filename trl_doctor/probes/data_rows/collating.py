"""Lets the trainer make batches of rows with images, the largest first: it prepares none before."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..answers.rows import Labels
from ..layout import pictures
from ..refusal import Refused
from ..watching.labels import collator_rows

SEARCHED = 64
"""Rows, the first ones, that are tried at most."""

LOSSES = 8
"""Rows as long as max_length of which the loss is computed."""

LIMIT = "max_length"

Read = Callable[[Any], Labels | None]


def collating(trainer: Any, read: Callable[[], Labels | None]) -> Read:
    """What has the trainer collate rows, raises what that raises, and gives what `read` gives.

    Where max_length has cut a row its loss is computed, too: the model refuses an image that lacks
    some of its tokens. Raises `Refused` if this trainer makes tokens of rows before it trains.
    """
    if not set(pictures.COLUMNS) & set(trainer.train_dataset.column_names):
        raise Refused("the trainer makes tokens of rows with images before it trains")
    losses = 0

    def collate(rows: Any) -> Labels | None:
        nonlocal losses
        trainer.train_dataset = rows
        labels = read()
        if labels and labels.why:
            trainer.data_collator([collator_rows(trainer)[0]])
        elif labels and labels.full and losses < LOSSES:
            losses += 1
            _loss(trainer, trainer.data_collator([collator_rows(trainer)[0]]))
        return labels

    return collate


def accepted_uncut(trainer: Any, collate: Read, rows: Any) -> bool:
    """Whether rows that were refused are taken if nothing cuts them."""
    for holder in (trainer.args, trainer.data_collator):
        if getattr(holder, LIMIT, None) is None:
            return False
        setattr(holder, LIMIT, None)
    try:
        collate(rows)
    except Exception:
        return False
    return True


def _loss(trainer: Any, batch: Any) -> None:
    import torch

    with torch.no_grad():
        trainer.compute_loss(trainer.model, trainer._prepare_inputs(batch))


def largest_first(rows: Any, until: float) -> list[int]:
    """The numbers of the first rows, those with the largest images first. Raises `Refused`."""
    sizes: dict[int, int] = {}
    for number in range(min(len(rows), SEARCHED)):
        if time.monotonic() > until:
            break
        sizes[number] = _pixels(rows[number])
    return sorted(sizes, key=lambda number: -sizes[number])


def _pixels(row: dict[str, Any]) -> int:
    """How large the images of a row are together."""
    values = [row[name] for name in pictures.COLUMNS if row.get(name) is not None]
    images = [
        image for value in values for image in (value if isinstance(value, list) else [value])
    ]
    if not all(hasattr(image, "size") for image in images):
        raise Refused("the images of its rows are paths, which are read in the training step")
    return sum(image.size[0] * image.size[1] for image in images)
