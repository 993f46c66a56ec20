"""Whether the ends of rows have labels, for the trainers of transformers alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ....processing import processing_of
from ....watching.alignment import hidden_end, own_loss
from ....watching.labels import collator_rows
from ...record import Mistake
from ...where import keywords_of, own_files
from ..step import STOPS, learns_from_rows

ROWS, FEWEST = 8, 2
"""Rows that are looked at, and the fewest of which something is said."""


def of_ends(trainer: Any) -> Iterator[Mistake]:
    """Rows that end with the eos, which has no label because it is what pads them, too."""
    if learns_from_rows(trainer) or own_loss(trainer):
        return  # of TRL's trainers all labels are told
    if getattr(getattr(trainer.model, "config", None), "is_encoder_decoder", False):
        return
    if getattr(trainer.data_collator, "mlm", False) or not STOPS.isdisjoint(
        keywords_of(own_files())
    ):
        return  # words are left out, or generation stops at something else
    with contextlib.suppress(Exception):  # rows, or a collator, of another kind
        collator = trainer.data_collator
        words: Any = getattr(collator, "tokenizer", None) or processing_of(trainer)
        eos = words.eos_token_id
        if eos is None or words.pad_token_id != eos:
            return
        data = collator_rows(trainer)
        rows = min(len(data), ROWS)
        hidden = sum(hidden_end(collator([data[at]]), {eos}) for at in range(rows))
        if hidden == rows >= FEWEST:
            yield Mistake("end hidden", [str(words.decode([eos])), str(rows)])
