"""Lets the steps train on short rows: a small step should not have to hold long ones.

The trainer has prepared its rows with the run's own limits before, and what it kept of them is
known: only the steps, and an evaluation, see less.
"""

from __future__ import annotations

from typing import Any

from ..kinds import LIBRARY, package_of
from ..record import world

PACKED = "seq_lengths"
"""The column of packed rows with the length of each row in them."""

LONGEST = 1024
"""Tokens of a row, at most; of a row in several parts, each has half of them."""


def shorten(trainer: Any) -> None:
    """Give a trainer its shortest rows, and of long rows the last tokens.

    An order of rows of the script's own is an order of all of them.
    """
    rows = trainer.train_dataset if _has_own_order(trainer) else _shortest(trainer)
    trainer.train_dataset = _cut(rows)
    rows = getattr(trainer, "eval_dataset", None)
    if isinstance(rows, dict):
        trainer.eval_dataset = {name: _cut(part) for name, part in rows.items()}
    elif rows is not None:
        trainer.eval_dataset = _cut(rows)


def last_tokens(row: dict[str, Any]) -> dict[str, Any]:
    """The columns of a row that have more tokens than a step should hold, without the first ones.

    The ends are kept, because the answers, the tokens with a label, are there. A row that others
    were packed into keeps the last of these as a whole, if one fits.
    """
    if packed := _last_packed(row):
        return packed
    parts = sum(name.endswith("ids") or name.startswith("input_ids") for name in row)
    most = LONGEST if parts == 1 else LONGEST // 2
    return {
        name: cell[-most:]
        for name, cell in row.items()
        if isinstance(cell, list) and len(cell) > most and isinstance(cell[0], int)
    }


def _last_packed(row: dict[str, Any]) -> dict[str, Any]:
    """The same of a packed row, which says how long the rows in it are; {} if it is short."""
    lengths = row.get(PACKED)
    if not isinstance(lengths, list) or sum(lengths) <= LONGEST:
        return {}
    every, kept = sum(lengths), list[int]()
    for length in reversed(lengths):
        if sum(kept) + length > LONGEST:
            break
        kept.insert(0, length)
    kept = kept or [LONGEST]
    cells = {name: cell[-sum(kept) :] for name, cell in row.items()
             if isinstance(cell, list) and len(cell) == every}  # fmt: skip
    return {**cells, PACKED: kept}


def _has_own_order(trainer: Any) -> bool:
    """Whether code of the script's own chooses the rows of a batch."""
    names = ("_get_train_sampler", "get_train_dataloader", "get_batch_samples")
    return any(package_of(getattr(trainer, name, None)) not in LIBRARY for name in names
               if hasattr(trainer, name))  # fmt: skip


def _shortest(trainer: Any) -> Any:
    """The shortest rows, enough for the steps, if they are tokens and there are more."""
    rows = trainer.train_dataset
    if "input_ids" not in (getattr(rows, "column_names", None) or ()) or not hasattr(
        rows, "select"
    ):
        return rows
    count = max(8, trainer.args.per_device_train_batch_size * 2 * world())
    if len(rows) <= count:
        return rows
    ordered = sorted(range(len(rows)), key=lambda at: len(rows[at]["input_ids"]))
    return rows.select(ordered[:count])


def _cut(rows: Any) -> Any:
    """Rows without a long one; those that are no table stay as they are."""
    if not hasattr(rows, "select") or not any(map(last_tokens, rows)):
        return rows
    return rows.map(last_tokens)
