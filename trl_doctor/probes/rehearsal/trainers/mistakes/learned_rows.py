"""What is learned of a row, beside what is learned of the others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ....processing import processing_of
from ....watching.labels import collator_rows, prepared
from ...kinds import LIBRARIES, package_of
from ...record import Mistake
from ...rows.excerpt import excerpt

COMPARED, FEWEST = 8, 2
"""Rows of a batch that are compared, at most and at least."""

ROWS, FEWEST_ROWS = 32, 4
"""Rows in which the same answer is looked for, at most and at least."""

SHORTEST = 2
"""Letters of an answer, at least."""

IGNORED = -100

Ids = list[int]


def of_batches(trainer: Any) -> Iterator[Mistake]:
    """Labels that a row has in a batch alone, where a longer row is beside it."""
    if getattr(trainer.args, "packing", False):
        return
    if package_of(getattr(trainer, "data_collator", None)) in {"", "torch", *LIBRARIES}:
        return
    with contextlib.suppress(Exception):  # rows, or a collator, of another kind
        data = collator_rows(trainer)
        rows = [data[at] for at in range(min(len(data), COMPARED))]
        alone = [_rows(prepared(trainer, [row]))[0] for row in rows]
        again = [_rows(prepared(trainer, [row]))[0] for row in rows]
        together = _rows(prepared(trainer, rows))
        if len(rows) < FEWEST or alone != again or len(together) != len(rows):
            return  # it makes other rows each time
        pairs = [*zip(alone, together)]
        moved = [pair for pair in pairs if pair[0] != pair[1] and pair[0][0] == pair[1][0]]
        if moved and len(moved) < len(rows):
            ids, kept = moved[0][1]
            own = [one for one, here, there in zip(ids, kept, moved[0][0][1]) if here > there]
            words = excerpt(_decode(trainer, own or ids))
            kind = "more" if own else "fewer"
            yield Mistake("labels of a batch", [str(len(moved)), str(len(rows)), words, kind])


def of_examples(trainer: Any) -> Iterator[Mistake]:
    """An answer that every row learns behind the same words, in front of one of its own."""
    if getattr(trainer.args, "packing", False):
        return
    with contextlib.suppress(Exception):  # rows, or a collator, of another kind
        data = collator_rows(trainer)
        rows = [_rows(prepared(trainer, [data[at]]))[0] for at in range(min(len(data), ROWS))]
        fronts = [_front(*row) for row in rows]
        first = fronts[0] if len(rows) >= FEWEST_ROWS else ()
        if not first or first[1][:1] == (True,) or any(front != first for front in fronts):
            return  # a row that is learned from its first token on has no question before it
        answers = [tuple(_learned(*row)) for row in rows]
        words = _decode(trainer, [*_learned(*first)])
        own = all(len(answer) > sum(first[1]) for answer in answers)
        if _says(words) and own and len({*answers}) > len(rows) / 2:
            yield Mistake("answer of every row", [excerpt(words), str(len(rows))])


def _front(ids: Ids, kept: Sequence[bool]) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """A row up to the end of the first part that it learns."""
    begins = kept.index(True) if True in kept else len(kept)
    ends = kept.index(False, begins) if False in kept[begins:] else len(kept)
    return tuple(ids[:ends]), tuple(kept[:ends])


def _learned(ids: Sequence[int], kept: Sequence[bool]) -> Ids:
    return [one for one, learned in zip(ids, kept) if learned]


def _rows(batch: Any) -> list[tuple[Ids, list[bool]]]:
    """The tokens of each row without its padding, and which of them are learned."""
    rows = list[tuple[Ids, list[bool]]]()
    masks = batch.get("attention_mask")
    for at, ids in enumerate(batch["input_ids"].tolist()):
        here = masks[at].tolist() if masks is not None else [1] * len(ids)
        labels = batch["labels"][at].tolist()
        kept = [(one, label != IGNORED) for one, label, on in zip(ids, labels, here) if on]
        rows.append(([one for one, _ in kept], [learned for _, learned in kept]))
    return rows


def learned_parts(batch: Any) -> list[Ids]:
    """The tokens that each row of a batch learns."""
    return [_learned(*row) for row in _rows(batch)]


def _says(text: str) -> bool:
    return sum(letter.isalpha() for letter in text) >= SHORTEST


def _decode(trainer: Any, ids: Sequence[int]) -> str:
    words: Any = processing_of(trainer) or getattr(trainer.data_collator, "tokenizer", None)
    return str(words.decode([*ids], skip_special_tokens=True)).strip()
