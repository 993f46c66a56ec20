"""Sees a script that trains a model, and then asks the model as it was before."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Iterator
from typing import Any

from .. import patching
from ..record import Mistake, Record
from ..where import At, here
from .asked_again import AskedAgain
from .earlier import Sums, same_weights, sums_of

MOST = 16
"""Models that are watched."""

ADAPTER = "lora_"
"""What the names of weights of an adapter have."""


class Untrained:
    """The models that the script asks after its trainings, by itself or through a trainer."""

    def __init__(self, record: Record) -> None:
        self.record, self.again = record, AskedAgain(record)
        self.busy = False
        """Whether a model is trained, or examined by the doctor."""
        self._before: tuple[Any, str, Sums] | None = None
        self._watched: list[Any] = []
        self._adapted: set[int] = set()
        self._asked: At | None = None
        self._trained = False

    @contextlib.contextmanager
    def training(self, trainer: Any) -> Iterator[None]:
        """A trainer trains: what it begins with is the model as it was before."""
        first = self._before is None
        with contextlib.suppress(Exception):  # no model, or weights of another kind
            base = _base(trainer.model)
            name = str(base.config._name_or_path)
            self._before = type(base), name, sums_of(base)
        self.again.training(trainer)
        with self.aside():
            yield
        with contextlib.suppress(Exception):
            for one in (trainer.model, _base(trainer.model)):
                self._watch(one)
                self._adapted.add(id(one))
        if first and self._before is not None:
            atexit.register(self._tell)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """While this lasts, calls are none of the script's after a training."""
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before

    def loaded(self, model: Any) -> None:
        """A model was loaded."""
        self._watch(model)

    def adapted(self, model: Any) -> None:
        """An adapter was put into a model."""
        with contextlib.suppress(Exception):  # an adapter of another kind
            for one in (model, _base(model)):
                self._watch(one)
                self._adapted.add(id(one))

    def _watch(self, model: Any) -> None:
        if len(self._watched) < MOST and not any(model is one for one in self._watched):
            self._watched.append(model)
            patching.before_calls(model, self._called)

    def _called(self, model: Any, given: Any, named: Any) -> None:
        at = None if self.busy or self._before is None else here()
        if at is None:
            return
        with contextlib.suppress(Exception):  # weights of another kind
            if self._trained or id(model) in self._adapted or not self._is_as_before(model):
                self._trained = True
                self.again.asks(named.get("input_ids", given[0] if given else None), at)
            elif self._asked is None:
                self._asked = at

    def _is_as_before(self, model: Any) -> bool:
        """Whether it is loaded under the name of what was trained, and has its first weights."""
        if self._before is None or type(model) is not self._before[0]:
            return False
        _, name, sums = self._before
        adapted = any(ADAPTER in weight for weight, _ in model.named_parameters())
        same = str(model.config._name_or_path) == name
        return same and not adapted and same_weights(sums, sums_of(model))

    def _tell(self) -> None:
        """Tell of a model that nothing was trained of, once the script has asked for the last."""
        if self._asked and not self._trained:
            self.record.mistake(Mistake("base asked", [], self._asked))

    def __deepcopy__(self, memo: Any) -> Untrained:
        """Copies of a model are watched as it is."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return Untrained, (self.record,)


def _base(model: Any) -> Any:
    return getattr(model, "get_base_model", lambda: model)()
