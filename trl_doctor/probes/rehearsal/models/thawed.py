"""Frozen adapters that become trainable because the script asks the model without them."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from ...named_objects import nodes_of
from ..record import Mistake, Record
from ..where import At, called_by_user, here, own_files

WHAT = "adapter thawed"

PARTS = ("lora", "adapter", "peft")
"""What a script says of the weights of an adapter, among others."""


class Thawed:
    """What `disable_adapter` has made trainable, and a trainer that trains it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._thawed: list[tuple[Any, At | None]] = []

    def disables(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        """`PeftModel.disable_adapter`: as the library has it, and compared before and after."""
        manager = original(model, *args, **more)
        return self._watched(model, manager, here()) if called_by_user() else manager

    @contextlib.contextmanager
    def _watched(self, model: Any, manager: Any, at: At | None) -> Iterator[Any]:
        frozen = [weight for _, weight in _adapters(model) if not weight.requires_grad]
        with manager as given:
            yield given
        self._thawed += [(weight, at) for weight in frozen if weight.requires_grad]

    def trains(self, trainer: Any) -> None:
        """Report a training of weights that were thawed, beside the ones that it is about.

        If it trains nothing else, these are what the script wants to train.
        """
        model: Any = getattr(trainer, "model", None)
        if not self._thawed or not hasattr(model, "named_parameters"):
            return
        own = {id(weight) for _, weight in _adapters(model) if weight.requires_grad}
        found = {id(weight): at for weight, at in self._thawed if id(weight) in own}
        others = any(weight.requires_grad and id(weight) not in found
                     for weight in model.parameters())  # fmt: skip
        if found and others and not _thaws_itself():
            words = [str(len(found)), next(name for name, one in _adapters(model)
                                           if id(one) in found)]  # fmt: skip
            self.record.mistake(Mistake(WHAT, words, next(iter(found.values()))))
            self._thawed = []


def _adapters(model: Any) -> list[tuple[str, Any]]:
    """The weights of a model's adapters, by their names."""
    return [named for named in model.named_parameters() if "lora_" in named[0]]


def _thaws_itself() -> bool:
    """Whether the script's own code makes weights of adapters trainable, or may do so."""
    return any(_thaws(node) for file in own_files() for node in nodes_of(file))


def _thaws(node: ast.AST) -> bool:
    """Whether a loop makes all weights trainable, or those whose names are an adapter's."""
    if not isinstance(node, ast.For):
        return False
    sets = [one for part in node.body for one in ast.walk(part) if _sets(one)]
    asks = [one for part in node.body for one in ast.walk(part) if isinstance(one, ast.If)]
    said = [str(one.value).lower() for ask in asks for one in ast.walk(ask.test)
            if isinstance(one, ast.Constant)]  # fmt: skip
    named = any(part in text for part in PARTS for text in said)
    return bool(sets) and (not asks or named)


def _sets(node: ast.AST) -> bool:
    """Whether it makes a weight trainable."""
    if isinstance(node, ast.Assign):
        target, value = node.targets[0], node.value
        frees = not isinstance(value, ast.Constant) or value.value is True
        return isinstance(target, ast.Attribute) and target.attr == "requires_grad" and frees
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "requires_grad_"
