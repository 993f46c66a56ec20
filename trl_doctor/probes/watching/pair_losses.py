"""Whether a loss of the script's own for scores is lower where chosen answers have the higher."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..processing import tokenizer_in
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

LITTLE = 0.01
"""The share of the gradient up to which it does not tell chosen answers from rejected ones."""

LOW = re.compile(
    r"(?:\b|_)(?:costs?|energ(?:y|ies)|harm(?!less)\w*|risks?|regrets?|toxic\w*|distances?"
    r"|perplexit\w+|penalt\w+)(?:\b|_)"
    r"|\blow(?:er)? (?:is|are|means?|scores?)\b|\bless is\b",
    re.IGNORECASE,
)
"""How a script says that better answers have lower scores."""


class PairLosses(NamedTuple):
    """The losses of a batch whose chosen answers have the higher scores, and the lower ones.

    `pushes` say for both whether a step lowers the scores of the chosen answers (above 0) or raises
    them, as a share of the gradient; None if the scores have no gradient.
    """

    pairs: int
    higher: float
    lower: float
    pushes: tuple[float | None, float | None]

    @property
    def same(self) -> bool:
        """Whether the loss does not tell which of two answers has the higher score."""
        return abs(self.higher - self.lower) <= SAME * max(abs(self.higher), abs(self.lower))

    @property
    def wrong(self) -> bool:
        """Whether neither the losses nor their gradients prefer the chosen answers."""
        pushes = [push for push in self.pushes if push is not None]
        if self.same:
            return len(pushes) == len(self.pushes) and max(map(abs, pushes)) <= LITTLE
        return self.higher > self.lower and bool(pushes) and min(pushes) > LITTLE


def of_pair_loss(trainer: Any) -> PairLosses | None:
    """The losses of the first scores at which they are wrong; None if none is, or not known.

    The scores that the model gives the answers of a batch are replaced. It raises nothing.
    """
    if not own_loss(trainer) or getattr(trainer.model.config, "num_labels", 0) != 1:
        return None
    with contextlib.suppress(Exception):  # the step itself says whether the loss fails
        found = list(_measured(trainer))
        wrong = bool(found) and all(losses.wrong for losses in found)
        alike = len({losses.same for losses in found}) == 1
        return found[0] if wrong and alike and (found[0].same or not _low(trainer)) else None
    return None


def _low(trainer: Any) -> bool:
    """Whether the script says that better answers have lower scores."""
    kind = type(trainer)
    return bool(LOW.search(inspect.getsource(inspect.getmodule(kind) or kind)))


def _measured(trainer: Any) -> Iterator[PairLosses]:
    data = collator_rows(trainer)
    rows = [data[at] for at in range(min(len(data), ROWS))]
    sides = _Sides(rows, trainer.processing_class)
    for score in SCORES:
        losses = list[tuple[float, float | None]]()
        for chosen in (score, -score):
            batch = prepared(trainer, rows)
            if _has_votes(batch):
                return
            with exact(trainer.model), _scored(trainer.model, sides, chosen) as given:
                loss = trainer.compute_loss(trainer.model, batch)
                losses.append((float(loss), _push(loss, given)))
        (higher, first), (lower, second) = losses
        yield PairLosses(len(rows), higher, lower, (first, second))


def _has_votes(batch: Mapping[str, Any]) -> bool:
    """Whether a batch says for each pair how much, or whether, it counts."""
    margin = batch.get("margin")
    return margin is not None and bool((margin <= 0).any())


def _push(loss: Any, given: Sequence[tuple[Any, Any]]) -> float | None:
    """The gradient of the chosen answers' scores less that of the rejected ones', as a share."""
    import torch

    if not given or not loss.requires_grad:
        return None
    gradients = torch.autograd.grad(loss, [scores for scores, _ in given], allow_unused=True)
    pairs = [(each, of) for each, (_, of) in zip(gradients, given) if each is not None]
    size = sum(float(each.abs().sum()) for each, _ in pairs)
    return sum(float((each * of).sum()) for each, of in pairs) / size if size else None


class _Sides:
    """Tells which answers of a batch are chosen ones."""

    def __init__(self, rows: list[Mapping[str, Any]], tokenizer: Any) -> None:
        self.tokenizer = tokenizer_in(tokenizer)
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
def _scored(model: Any, sides: _Sides, chosen: float) -> Iterator[list[tuple[Any, Any]]]:
    """Meanwhile chosen answers have this score, and rejected ones its contrary.

    It gives the scores of each call, and 1 for each chosen answer, -1 for each rejected one.
    """
    calls: list[tuple[Any, Any]] = []

    def replace(_: Any, given: Any, named: Mapping[str, Any], output: Any) -> Any:
        ids = named["input_ids"] if "input_ids" in named else given[0]
        mask = named["attention_mask"] if "attention_mask" in named else given[1]
        rows = [[id for id, here in zip(*row) if here] for row in zip(ids.tolist(), mask.tolist())]
        signs = output.logits.new_tensor([1.0 if sides.is_chosen(row) else -1.0 for row in rows])
        if output.logits.shape != (len(signs), 1):
            raise ValueError("these are no scores")
        calls.append((scores := (signs * chosen).requires_grad_(), signs))
        output.logits = scores.unsqueeze(1)
        return output

    handle = model.register_forward_hook(replace, with_kwargs=True)
    try:
        yield calls
    finally:
        handle.remove()
