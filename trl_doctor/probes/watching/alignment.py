"""Whether the labels of a batch stand where their tokens stand, and on nothing else."""

from __future__ import annotations

import itertools
from typing import Any

FEW = 4
"""Tokens that end and pad, from which on in a row they are padding and no end of a text."""

NEAR = 3
"""The last tokens of a row, among which its end is."""


def own_loss(trainer: Any) -> bool:
    """Whether the trainer's loss is a class's of the script, and not a library's."""
    owner = next((kind for kind in type(trainer).mro() if "compute_loss" in vars(kind)), None)
    return owner is None or not owner.__module__.startswith(("trl.", "transformers."))


def shifted(trainer: Any, batch: Any) -> int:
    """Rows whose labels are the tokens of the next places: the model itself shifts them, too."""
    count = 0
    for ids, labels in _shifted_by_model(trainer, batch):
        places = [at for at, label in enumerate(labels[:-1]) if label != -100]
        next_place = all(labels[at] == ids[at + 1] for at in places)
        count += len(places) > 1 and next_place and any(labels[at] != ids[at] for at in places)
    return count


def of_other_places(trainer: Any, batch: Any) -> int:
    """Rows of which half of the labels or more are other tokens than those at their places.

    Those of the next places are `shifted`.
    """
    count = 0
    for ids, labels in _shifted_by_model(trainer, batch):
        places = [at for at, label in enumerate(labels) if label >= 0]
        others = [at for at in places if labels[at] != ids[at]]
        next_place = all(labels[at] == ids[at + 1] for at in places if at + 1 < len(ids))
        count += len(others) > 1 and 2 * len(others) >= len(places) and not next_place
    return count


def _shifted_by_model(trainer: Any, batch: Any) -> list[tuple[list[int], list[int]]]:
    """The ids and labels of rows that a causal model compares with each other.

    None if the model reads its labels otherwise, or a loss of the script's own may.
    """
    config = getattr(trainer.model, "config", None)
    if own_loss(trainer) or getattr(config, "is_encoder_decoder", False):
        return []
    return _pairs(batch, "labels")


def on_padding(batch: Any, pad: int | None) -> int:
    """Labels of tokens that the attention mask leaves out, or that fill a row up at an end.

    One such token behind a text is its end, where the same token ends and pads.
    """
    count = 0
    masks = [mask for _, mask in _pairs(batch, "attention_mask")]
    for at, (ids, labels) in enumerate(_pairs(batch, "labels")):
        mask = masks[at] if masks else [1] * len(ids)
        left_out = sum(label != -100 and not here for label, here in zip(labels, mask))
        left_out = left_out if left_out > 1 else 0
        count += left_out or _filled(ids, labels, pad) or _filled(ids[::-1], labels[::-1], pad)
    return count


def no_tokens(batch: Any) -> list[int]:
    """Labels below 0 that are not -100: each is counted in the loss as if it were a token."""
    return [
        label
        for _, labels in _pairs(batch, "labels")
        for label in labels
        if label < 0 and label != -100
    ]


def attended_padding(batch: Any, pad: int | None, ends: set[int | None]) -> int:
    """Padding that the attention mask lets the model read, before tokens that are learned.

    Padding fills rows up: rows have different numbers of it, and it begins them, or ends at one
    place in all of them. Other tokens of the kind are part of a text, and one or two may be a
    separator, or the end of turns. None where the mask has another shape than the tokens.
    """
    fewest = FEW if pad in ends else 2
    masks = [mask for _, mask in _pairs(batch, "attention_mask")]
    if not masks and batch.get("attention_mask") is not None:
        return 0
    rows = _pairs(batch, "labels")
    runs = [_read_runs(*row, masks[at] if masks else None, pad) for at, row in enumerate(rows)]
    starts = [next((at for at, label in enumerate(labels) if label != -100), 0)
              for _, labels in rows]  # fmt: skip
    if len({tuple(size for _, size in found) for found in runs}) < min(2, len(rows)):
        return 0
    return sum(
        size
        for at, found in enumerate(runs)
        for end, size in found
        if size >= fewest
        and (
            size == end
            or all(
                end == start or end in dict(other)
                for start, other in zip(starts, runs)
                if other is not runs[at]
            )
        )
    )


def _read_runs(
    ids: list[int], labels: list[int], mask: list[int] | None, pad: int | None
) -> list[tuple[int, int]]:
    """Where each run of pads ends that is read before the last label, and how long it is."""
    last = max((place for place, label in enumerate(labels) if label != -100), default=0)
    runs = list[tuple[int, int]]()
    size = 0
    for place in range(last + 1):
        read = ids[place] == pad and labels[place] == -100 and (mask is None or mask[place])
        if size and not read:
            runs.append((place, size))
        size = size + 1 if read else 0
    return runs


def unlearned_end(batch: Any, ends: set[int | None]) -> tuple[int, int]:
    """Rows in which the token that ends a text comes right behind the last label, without a label.

    And rows whose last label stands inside a text, before more of it: the end may be left out on
    purpose there.
    """
    masks = [mask for _, mask in _pairs(batch, "attention_mask")]
    masked = inside = 0
    for row, (ids, labels) in enumerate(_pairs(batch, "labels")):
        learned = [at for at, label in enumerate(labels) if label != -100]
        behind = range(learned[-1] + 1, len(ids)) if learned else ()
        left = [ids[at] for at in behind if not masks or masks[row][at]]
        masked += bool(left) and left[0] in ends
        inside += bool(left) and left[0] not in ends
    return masked, inside


def hidden_end(batch: Any, ends: set[int | None]) -> int:
    """Rows that end with such a token, or have it right before a line break, and learn none.

    A few of them in a row are padding and no end.
    """
    masks = [mask for _, mask in _pairs(batch, "attention_mask")]
    count = 0
    for row, (ids, labels) in enumerate(_pairs(batch, "labels")):
        read = [id for at, id in enumerate(ids) if not masks or masks[row][at]]
        last = [id in ends for id in read[-FEW:]]
        count += any(last[-NEAR:]) and sum(last) < NEAR and not any(id in ends for id in labels)
    return count


def _filled(ids: list[int], labels: list[int], pad: int | None) -> int:
    """The labels of a row's last tokens that are padding; 0 if these are few."""
    last = itertools.takewhile(lambda at: ids[at] == pad == labels[at], reversed(range(len(ids))))
    filled = len(list(last))
    return filled - 1 if filled >= FEW else 0


def _pairs(batch: Any, name: str) -> list[tuple[list[int], list[int]]]:
    """The token ids of each row, and what else the batch has for them; none of other shapes."""
    ids, other = batch.get("input_ids"), batch.get(name)
    if getattr(ids, "shape", None) != getattr(other, "shape", ()) or len(ids.shape) != 2:
        return []
    return list(zip(ids.tolist(), other.tolist()))
