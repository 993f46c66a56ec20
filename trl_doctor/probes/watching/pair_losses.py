"""Whether a loss of the script's own for scores is lower where chosen answers have the higher."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .alignment import own_loss
from .labels import collator_rows, prepared
from .row_losses import exact

ROWS = 4
"""The most pairs of the batch."""

SIDES = ("chosen", "rejected")
SCORES = (1.0, 3.0)
"""How far the scores that answers are given are from 0."""

SAME = 1e-4
"""The share of a loss up to which two losses are the same."""


class PairLosses(NamedTuple):
    """The losses of a batch whose chosen answers have the higher scores, and the lower ones."""

    pairs: int
    higher: float
    lower: float

    @property
    def same(self) -> bool:
        """Whether the loss does not tell which of two answers has the higher score."""
        return abs(self.higher - self.lower) <= SAME * max(abs(self.higher), abs(self.lower))


def of_pair_loss(trainer: Any) -> PairLosses | None:
    """The losses of the first scores at which they are wrong; None if none is, or not known.

    The scores that the model gives the answers of a batch are replaced. It raises nothing.
    """
    if not own_loss(trainer) or getattr(trainer.model.config, "num_labels", 0) != 1:
        return None
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        found = list(_measured(trainer))
        wrong = [losses for losses in found if losses.same or losses.higher > losses.lower]
        return wrong[0] if found and len(wrong) == len(found) else None
    return None


def _measured(trainer: Any) -> Iterator[PairLosses]:
    import torch

    data = collator_rows(trainer)
    rows = [data[at] for at in range(min(len(data), ROWS))]
    sides = _Sides(rows, trainer.processing_class)
    for score in SCORES:
        losses = list[float]()
        for chosen in (score, -score):
            batch = prepared(trainer, rows)
            with torch.no_grad(), exact(trainer.model), _scored(trainer.model, sides, chosen):
                losses.append(float(trainer.compute_loss(trainer.model, batch)))
        yield PairLosses(len(rows), *losses)


class _Sides:
    """Tells which answers of a batch are chosen ones."""

    def __init__(self, rows: list[Mapping[str, Any]], tokenizer: Any) -> None:
        self.tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        self.ids, self.texts = (
            {side: [part(row, side) for row in rows] for side in SIDES}
            for part in (_ids_of, self._text_of)
        )

    def is_chosen(self, ids: list[int]) -> bool:
        """Whether an answer is a chosen one; raises `ValueError` if that is not clear."""
        found = {side for side in SIDES if ids in self.ids[side]}
        text = "" if found else _bare(self.tokenizer.decode(ids, skip_special_tokens=True))
        found = found or {side for side in SIDES if text and text in self.texts[side]}
        if len(found) != 1:
            raise ValueError("an answer is of no side, or of both")
        return found == {SIDES[0]}

    def _text_of(self, row: Mapping[str, Any], side: str) -> str:
        """A side's whole text, as the script itself may tokenize it."""
        value, prompt = row.get(side), row.get("prompt", "")
        if isinstance(value, list):
            whole = [*prompt, *value] if isinstance(prompt, list) else value
            value = self.tokenizer.apply_chat_template(whole, tokenize=False)
        elif isinstance(value, str) and isinstance(prompt, str) and not value.startswith(prompt):
            value = prompt + value
        ids = self.tokenizer(value)["input_ids"] if isinstance(value, str) else []
        return _bare(self.tokenizer.decode(ids, skip_special_tokens=True))


def _bare(text: str) -> str:
    return "".join(text.split())


def _ids_of(row: Mapping[str, Any], side: str) -> list[int] | None:
    names = (f"{side}_ids", f"{side}_input_ids", f"input_ids_{side}")
    return next((list(row[name]) for name in names if row.get(name)), None)


@contextlib.contextmanager
def _scored(model: Any, sides: _Sides, chosen: float) -> Iterator[None]:
    """Meanwhile chosen answers have this score, and rejected ones its contrary."""

    def replace(_: Any, given: Any, named: Mapping[str, Any], output: Any) -> Any:
        ids = named["input_ids"] if "input_ids" in named else given[0]
        mask = named["attention_mask"] if "attention_mask" in named else given[1]
        rows = [[id for id, here in zip(*row) if here] for row in zip(ids.tolist(), mask.tolist())]
        scores = [chosen if sides.is_chosen(row) else -chosen for row in rows]
        if output.logits.shape != (len(scores), 1):
            raise ValueError("these are no scores")
        output.logits = output.logits.new_tensor(scores).unsqueeze(1)
        return output

    handle = model.register_forward_hook(replace, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()
