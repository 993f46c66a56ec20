"""Which tokens of the answers a loss leaves out by their place, and which it takes for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Literal

from ..answers.step import Unlearned
from ..processing import tokenizer_in
from .answer_rows import Read, Row, read, rows_of
from .labels import collator_rows, prepared
from .logit_gradients import at_logits, copied

TRAINERS = ("SFTTrainer", "DPOTrainer", "KTOTrainer", "CPOTrainer", "ORPOTrainer", "BCOTrainer")
"""Those of TRL that learn answers of the rows, and generate none to make a batch."""

ROWS = 4
"""The most rows that are measured."""

FEWEST = 2
"""The rows with a gradient, at least."""

MOST = 0.9
"""The share of the places from which on a loss teaches tokens of other places."""

FADES = 0.7
"""The share of the next token's gradient up to which a token is taken to have a smaller weight."""

Batches = Sequence[Any]
Side = Literal["first", "last"]
SIDES: tuple[Side, ...] = ("first", "last")


def of_places(trainer: Any) -> dict[str, Any]:
    """What the gradient of a loss shows at each token that is to be learned.

    `copied` and `ahead` are the shares of the places that learn their own token, and that after the
    next one. `unlearned` are the ends of answers whose prediction has no gradient at all, in
    every row, where all other tokens have one. Empty if the model was given other rows,
    and for trainers that generate.
    """
    library = [kind for kind in type(trainer).mro() if kind.__module__.startswith("trl.")]
    if library and not any(kind.__name__ in TRAINERS for kind in library):
        return {}
    data = collator_rows(trainer)
    size = max(1, min(ROWS, trainer.args.per_device_train_batch_size))
    rows = [data[at] for at in range(min(len(data), ROWS))]
    batches = [prepared(trainer, rows[at : at + size]) for at in range(0, len(rows), size)]
    measured = _measured(trainer, batches)
    if not measured:
        return {}
    for name, ahead in (("copied", 0), ("ahead", 2)):
        if share := _share(measured, ahead):
            return {name: share}
    found = [_unlearned(trainer, batches, measured, side) for side in SIDES]
    return {"unlearned": [asdict(one) for one in found if one]}


def _measured(trainer: Any, batches: Batches) -> list[Read]:
    """The rows that have a gradient; none if the model was given other rows."""
    measured: list[Read | None] = []
    for batch in batches:
        rows = rows_of(batch)
        calls = at_logits(trainer, batch) if rows else []
        measured += [read(row, calls) for row in rows]
    known = [one for one in measured if one is not None]
    known = [one for one in known if any(one.sizes)]
    return known if len(known) >= FEWEST and None not in measured else []


def _share(measured: Sequence[Read], ahead: int) -> float:
    """The share of the places that learn the token so many places ahead, if most do."""
    places = [
        one.raised[at - 1] == one.row.ids[at - 1 + ahead]
        for one in measured
        for at in one.row.inner
        if one.row.ids[at - 1 + ahead] != one.row.ids[at]
    ]
    share = sum(places) / len(places) if places else 0.0
    return share if share > MOST else 0.0


def _unlearned(
    trainer: Any, batches: Batches, measured: Sequence[Read], side: Side
) -> Unlearned | None:
    """What is left out on a side."""
    lost = _lost(measured, side)
    if not lost:
        return None
    of_place = _end(side)
    ids = {one.row.ids[of_place(one.row)] for one in lost}
    marks = ids <= _marks(trainer)
    if not marks if side == "last" else marks and len(ids) == 1:
        return None  # no end of a text, or a mark that begins every answer
    changed = [_changed(batch, of_place) for batch in batches]
    by_place = len(_lost(_measured(trainer, changed), side)) == len(lost)
    tokenizer = _tokenizer(trainer)
    pads = not by_place and ids == {tokenizer.pad_token_id}
    if not by_place and not (pads and side == "last"):
        return None
    token = tokenizer.decode([lost[0].row.ids[of_place(lost[0].row)]])
    moved, fades = _moved(measured, side), all(_fades(one, side) for one in lost)
    next_ids = {one.row.ids[one.row.inner[0]] for one in lost}
    fixed = side == "first" and len(ids) == 1 and len(next_ids) > 1
    return Unlearned(side, token, len(lost), len(measured), pads, moved, fades, fixed)


def _end(side: Side) -> Callable[[Row], int]:
    """The place of the first token of the first answer, or of the last one of the last."""
    return (lambda row: row.firsts[0]) if side == "first" else (lambda row: row.lasts[-1])


def _lost(measured: Sequence[Read], side: Side) -> list[Read]:
    """The rows that lose their end: all of them, or those that are the longest of their batch.

    None if any other token is left out: then the loss chooses tokens.
    """
    if any(one.lost(at) for one in measured for at in one.row.inner):
        return []
    if side == "first" and not all(one.row.firsts for one in measured):
        return []
    lost = [one for one in measured if one.lost(_end(side)(one.row))]
    if len(lost) == len(measured):
        return lost
    longest = [one for one in measured if one.fills]
    return lost if side == "last" and lost == longest else []


def _moved(measured: Sequence[Read], side: Side) -> bool:
    """Whether the loss reads the prediction on the other side of the answers instead."""
    if side == "first":
        return any(one.sizes[one.row.lasts[-1]] for one in measured)
    return all(one.row.firsts and one.sizes[one.row.firsts[0] - 2] for one in measured)


def _fades(one: Read, side: Side) -> bool:
    """Whether the token beside the end has less of the loss than the one beside that."""
    beside, inside = one.row.inner[:2] if side == "first" else one.row.inner[:-3:-1]
    return one.sizes[beside - 1] < FADES * one.sizes[inside - 1]


def _changed(batch: Any, of_place: Callable[[Row], int]) -> Any:
    """A batch with another token in such a place of each row."""
    values = copied(batch)
    for row in rows_of(batch):
        at = of_place(row)
        other = next((row.ids[to] for to in row.inner if row.ids[to] != row.ids[at]), row.ids[at])
        for name in row.names:
            values[name][row.at, row.columns[at]] = other
    return values


def _tokenizer(trainer: Any) -> Any:
    holder = trainer.processing_class
    return tokenizer_in(holder)


def _marks(trainer: Any) -> set[int]:
    """The tokens that begin and end texts, turns and parts of answers."""
    tokenizer = _tokenizer(trainer)
    return {*tokenizer.all_special_ids, *getattr(tokenizer, "added_tokens_decoder", ())}
