"""Sees what a trainer trains on: the target tokens of its own collated rows."""

from __future__ import annotations

import itertools
from collections.abc import Sized
from typing import Any

from ..answers.rows import TEMPLATE, Labels
from ..processing import tokenizer_in
from . import turns
from .alignment import hidden_end, of_other_places, on_padding, shifted, unlearned_end
from .beginnings import beginnings, of_batch

STREAMED = 8
"""Rows of a stream that are looked at."""

DRAWN = 4
"""Rows that are collated twice, to see whether they get the same tokens."""

MASKS = {"assistant_masks": 0, "completion_mask": 0, "labels": -100}
"""Columns that say which tokens have a loss, and what leaves one out."""


def labels(trainer: Any, given: int, turn_end: int | None, eos: int | None) -> Labels:
    """The targets of each of the trainer's rows, collated alone; `given` rows were passed to it."""
    data, tokenizer = collator_rows(trainer), trainer.processing_class
    limit, most = _limit(trainer), _longest_answer(trainer)
    drawn = _draws(trainer, data)
    targets, firsts, whole, ends, sizes, places = (list[Any]() for _ in range(6))
    padding = hidden = 0
    for at in range(len(data)):
        batch = trainer.data_collator([data[at]])
        firsts += of_batch(batch)[:1]
        whole += turns.of_batch(batch)[:1]
        rows = _targets(batch)
        hidden += rows is None
        targets += (rows or [])[:1]
        places.append((shifted(trainer, batch), not drawn and of_other_places(trainer, batch)))
        ends.append(_ends(batch, {turn_end, eos}))
        padding += on_padding(batch, getattr(tokenizer, "pad_token_id", None))
        sizes.append((0 if _is_padded(batch, tokenizer) else _length(batch), _tokens(batch)))
    texts = {} if drawn else _texts(tokenizer, firsts, whole)
    if hidden:
        return Labels(given, len(data), limit, None, _full_rows(data, limit), **texts)
    return Labels(
        given,
        len(data),
        limit,
        tuple(len(row) for row in targets),
        **_against(limit, sizes),
        empty=sum(not row for row in targets),
        turn_end=sum(turn_end in row for row in targets),
        eos=sum(eos in row for row in targets),
        **_summed(("ends_masked", "inside", "ends_hidden"), ends),
        **_last(tokenizer, targets, eos),
        **texts,
        **_summed(("shifted", "of_other_places"), places),
        on_padding=padding,
        most=most,
        cut=sum(len(row) == most for row in targets),
        full_prompts=_full_prompts(data, limit),
        overwritten=sum(_asks_less(data[at], row) for at, row in enumerate(targets)),
        emptied_by=_emptied_by(trainer, [data[at] for at, row in enumerate(targets) if not row]),
    )


def _draws(trainer: Any, data: Any) -> bool:
    """Whether the collator draws tokens: rows with noise in them are no texts that can be read."""
    rows = [data[at] for at in range(min(len(data), DRAWN))]
    once, again = ([turns.of_batch(trainer.data_collator([row])) for row in rows] for _ in range(2))
    return bool(once != again)


def _texts(tokenizer: Any, firsts: list[Any], whole: list[Any]) -> dict[str, Any]:
    """How the rows begin, and how they are divided into turns."""
    return {"begins": beginnings(tokenizer, firsts), "turns": turns.turns(tokenizer, whole)}


def _ends(batch: Any, marks: set[int | None]) -> tuple[int, int, int]:
    return *unlearned_end(batch, marks), hidden_end(batch, marks)


def _summed(names: tuple[str, ...], counts: list[tuple[int, ...]]) -> dict[str, Any]:
    """The counts of all rows, by their names."""
    return dict(zip(names, map(sum, zip(*counts))))


def _last(tokenizer: Any, targets: list[list[int]], eos: int | None) -> dict[str, Any]:
    """The last targets of the first rows, and the eos, as ids and as texts."""
    words = tokenizer_in(tokenizer)
    last = tuple(tuple(row[-3:]) for row in targets[:2])
    texts = tuple(tuple(str(words.decode([id])) for id in row) for row in last)
    eos_text = "" if eos is None else str(words.decode([eos]))
    return {"last": last, "last_texts": texts, "eos_text": eos_text}


def collator_rows(trainer: Any) -> Any:
    """The trainer's rows with the columns that its collator sees; of a stream the first ones."""
    trainer._set_signature_columns_if_needed()
    rows = trainer.train_dataset
    return trainer._remove_unused_columns(
        rows if isinstance(rows, Sized) else _first(rows), "training"
    )


def _first(stream: Any) -> Any:
    from datasets import Dataset

    return Dataset.from_list(list(itertools.islice(iter(stream), STREAMED)))


def prepared(trainer: Any, rows: list[Any]) -> Any:
    """A batch of such rows, as the trainer's loss gets it."""
    return trainer._prepare_inputs(trainer.data_collator(rows))


def _limit(trainer: Any) -> int | None:
    """The most tokens of a row."""
    for holder in (trainer.args, trainer):
        for name in ("max_length", "max_seq_length"):
            value = getattr(holder, name, None)
            if isinstance(value, int):
                return value
    return None


def _asks_less(row: Any, targets: list[int]) -> bool:
    """Whether a row comes with labels that leave tokens out, and the batch has a loss on more."""
    labels = row.get("labels") if isinstance(row, dict) else None
    if not isinstance(labels, list) or -100 not in labels:
        return False
    return len(targets) > len([label for label in labels if label != -100])


def _emptied_by(trainer: Any, rows: list[Any]) -> str:
    """What leaves out all tokens of the empty rows: a column of theirs, or the collator's template
    of answers, which none of them has; "" if neither does."""
    for name, out in MASKS.items():
        given = [row.get(name) if isinstance(row, dict) else None for row in rows]
        if given and all(isinstance(one, list) and {*one} == {out} for one in given):
            return name
    template = getattr(trainer.data_collator, "response_token_ids", None)
    if template and rows and not any(_has(row, list(template)) for row in rows):
        return TEMPLATE
    return ""


def _has(row: Any, part: list[int]) -> bool:
    """Whether the tokens of a row have these among them, one after the other."""
    ids = row.get("input_ids", part) if isinstance(row, dict) else part
    return any(ids[at : at + len(part)] == part for at in range(len(ids)))


def _longest_answer(trainer: Any) -> int | None:
    """The most tokens of an answer of a row; None for trainers that generate answers."""
    limit = getattr(trainer.args, "max_completion_length", None)
    return limit if isinstance(limit, int) and not hasattr(trainer.args, "temperature") else None


def _targets(batch: Any) -> list[list[int]] | None:
    """The tokens that the loss is of, by row; None if this batch has none, or hides them."""
    if "labels" in batch:
        return [[id for id in row if id != -100] for row in batch["labels"].tolist()]
    if "completion_labels" in batch:
        rows = batch["completion_labels"]
        return [[id for id in row if id != -100] for row in getattr(rows, "tolist", lambda: rows)()]
    for ids, mask in (
        ("input_ids", "completion_mask"),
        ("chosen_input_ids", "chosen_attention_mask"),
    ):
        if ids in batch and mask in batch:
            pairs = zip(batch[ids].tolist(), batch[mask].tolist())
            return [[id for id, keep in zip(row, mask) if keep] for row, mask in pairs]
    return None


def _length(batch: Any) -> int:
    """The tokens of a collated row."""
    for name in ("input_ids", "completion_input_ids", "chosen_input_ids"):
        if name in batch:
            return int(batch[name].shape[-1])
    return 0


def _is_padded(batch: Any, tokenizer: Any) -> bool:
    """Whether the row ends in padding, as one that a script has made longer: nothing cuts it."""
    rows: Any = batch["input_ids"] if "input_ids" in batch else None  # noqa: SIM401
    pad = getattr(tokenizer, "pad_token_id", None)
    return pad is not None and getattr(rows, "ndim", 0) == 2 and int(rows[0][-1]) == pad


def _tokens(batch: Any) -> int:
    """The same without padding; 0 if no mask of a single row says what that is."""
    mask: Any = batch["attention_mask"] if "attention_mask" in batch else None  # noqa: SIM401
    alone = getattr(mask, "ndim", 0) == 2 and len(mask) == 1
    return int(mask.bool().sum()) if alone else 0


def _against(limit: int | None, sizes: list[tuple[int, int]]) -> dict[str, Any]:
    """How many rows are as long as the limit, and the tokens of those that are longer."""
    if limit is None:
        return {"full": 0}
    longer = tuple(tokens for _, tokens in sizes if tokens > limit)
    return {"full": sum(length >= limit for length, _ in sizes), "longer": longer}


def _full_rows(data: Any, limit: int | None) -> int:
    """Rows with a side as long as the limit, where a batch has no targets of its own."""
    names = [name for name in data.column_names if name.endswith(("_ids", "input_ids_chosen"))]
    names += [name for name in data.column_names if name.startswith("input_ids")]
    if limit is None:
        return 0
    return sum(any(len(row[name]) >= limit for name in names if row[name]) for row in data)


def _full_prompts(data: Any, limit: int | None) -> int:
    """Rows whose prompt, in a column of its own, leaves no room for an answer."""
    if limit is None or turns.PROMPT not in data.column_names:
        return 0
    return sum(len(row[turns.PROMPT]) >= limit for row in data)
