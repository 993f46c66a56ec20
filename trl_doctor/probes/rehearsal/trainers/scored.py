"""Sees texts that a trained classifier is called with, and that lack the end of its rows."""

from __future__ import annotations

import atexit
import contextlib
import re
from collections.abc import Iterator
from typing import Any

from ...processing import tokenizer_of
from ...watching.beginnings import unpadded
from ...watching.row_losses import exact
from .. import patching
from ..record import Mistake, Record
from ..rows.intent import says
from ..where import CALLERS, At, called_by_user
from .earlier import same_weights, sums_of

KIND = "ForSequenceClassification"
"""What the names of classes have whose models give one row of scores for each text."""

UNFINISHED = re.compile(
    r"\bprefix|partial|\bdrafts?\b|unfinished|incomplete|\bguided\b|\bbeams?\b|ablat"
    r"|without (?:the |an )?(?:end|eos)|throughput|per[ _]second|benchmark|latency",
    re.IGNORECASE,
)
"""What a script says that scores texts without their end on purpose, or only counts the time."""

FEWEST = 4
"""Rows that were trained, and texts that are scored, from which on they are compared."""

LAST = 3
"""Tokens at the end of a text among which its end is looked for: a template may write a line."""

NEAR = 1e-3
"""The share of a score up to which another one is a rounding error."""


class Scored:
    """The classifiers that trainers of the script have trained."""

    def __init__(self, record: Record) -> None:
        self.record, self.all = record, list[Ends]()

    @contextlib.contextmanager
    def training(self, trainer: Any) -> Iterator[None]:
        """While this lasts, the rows are those that the trainer's model learns."""
        end = getattr(tokenizer_of(trainer), "eos_token_id", None)
        model: Any = getattr(trainer, "model", None)
        base = getattr(model, "get_base_model", lambda: model)()
        if not isinstance(end, int) or not _classifies(base):
            yield
            return
        ends = Ends(self.record, base, end)
        self.all.append(ends)
        for one in {id(one): one for one in (model, base)}.values():
            ends.watch(one)
        try:
            yield
        finally:
            ends.learns = False

    def loaded(self, model: Any) -> None:
        """Watch a model that has the weights of a trained one: it was saved, and loaded again."""
        if not self.all or not _classifies(model):
            return
        with contextlib.suppress(Exception):  # weights of another kind
            sums = sums_of(model)
            for ends in self.all[-1:]:
                if not ends.learns and same_weights(sums_of(ends.model), sums):
                    ends.watch(model)


class Ends:
    """How the rows of a model end that it learns, and the texts that the script gives it."""

    def __init__(self, record: Record, model: Any, end: int) -> None:
        self.record, self.model, self.end, self.learns = record, model, end, True
        self.learned = list[bool]()
        self.asked: dict[At, list[int]] = {}
        """The lengths of the texts that each line gives the model; 0 of those with the end."""
        self.number = record.trainer
        self.busy = self.compared = False

    def watch(self, model: Any) -> None:
        """See each call of a model, once."""
        patching.before_calls(model, self._called)

    def _called(self, model: Any, given: Any, named: Any) -> None:
        ids = named.get("input_ids", given[0] if given else None)
        if self.busy or getattr(ids, "ndim", 0) != 2 or named.get("output_hidden_states"):
            return
        with contextlib.suppress(Exception):  # tokens of another kind
            rows = self._rows(model, ids, named.get("attention_mask"))
            if self.learns and model.training:
                self.learned += [row[-1:] == [self.end] for row in rows]
            elif at := called_by_user(CALLERS):
                self._asked(model, rows, ids, at)

    def _rows(self, model: Any, ids: Any, mask: Any) -> list[list[int]]:
        """The tokens of each text, without padding; an end that also pads stays one."""
        pad = getattr(model.config, "pad_token_id", None)
        if mask is None and pad is not None and pad != self.end:
            mask = ids != pad
        return [row for row in unpadded(ids, mask) if row]

    def _asked(self, model: Any, rows: list[list[int]], ids: Any, at: At) -> None:
        """A line asks for the scores of texts; if all have one length, they may have been cut."""
        asked = self.asked.setdefault(at, [])
        asked += [0 if self.end in row[-LAST:] else len(row) for row in rows]
        known = all(self.learned) and min(len(self.learned), len(asked)) >= FEWEST
        if known and not self.compared and all(asked) and len({*asked}) > 1:
            self.compared = True
            if not says(UNFINISHED) and self._differs(model, ids.new_tensor([rows[-1]])):
                atexit.register(self._tell, at)

    def _tell(self, at: At) -> None:
        """Tell of a line whose texts all lack the end, once the script has asked for the last."""
        if all(self.asked[at]):
            self.record.mistake(Mistake("scored without end", [], at), of=self.number)

    def _differs(self, model: Any, text: Any) -> bool:
        """Whether a text has another score with the end: not if the model takes it for a pad."""
        import torch

        self.busy = True
        try:
            with torch.no_grad(), exact(model):
                ended = torch.cat([text, text.new_tensor([[self.end]])], dim=1)
                without, scores = (model(input_ids=one).logits for one in (text, ended))
        finally:
            self.busy = False
        return not torch.allclose(without, scores, rtol=NEAR)

    def __deepcopy__(self, memo: Any) -> Ends:
        """Copies of a model are watched as it is."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it sees nothing."""
        return _blind, ()


def _blind() -> Ends:
    ends = Ends.__new__(Ends)
    ends.busy = True
    return ends


def _classifies(model: Any) -> bool:
    return any(KIND in kind.__name__ for kind in type(model).__mro__)
