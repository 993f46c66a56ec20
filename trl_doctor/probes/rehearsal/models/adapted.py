"""Base models that adapters were put into: a second adapter, and a model compared with itself."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..record import Mistake, Record
from ..where import TORCH, called_by_user, here
from .bases import is_adapted

ASKED, MODELS = 64, 16
"""Calls and models that are remembered."""

PARTS = ("output_hidden_states", "output_attentions")
"""What a call may ask for beside the logits: it is not compared with one that does not."""

READERS = (*TORCH, "/peft/")
"""The same for calls that read the weights of an adapter."""

PUTS_ON = "put_on"
"""The method with which a rehearsal puts a small adapter in the place of a whole one."""

Sums = tuple[float, ...]


class Adapted:
    """What became of each module that an adapter was put into."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.then: Callable[[Any], None] = lambda model: None
        """What else sees each model with an adapter."""
        self._inside: Any = None
        self._last: dict[int, Any] = {}
        self._unused: set[int] = set()
        """Base models whose adapter was loaded, and that nobody has called or read since."""
        self._owners: list[tuple[Any, Any, str]] = []
        self._asked: list[tuple[Any, bool, Any, Sums, bool]] = []
        self._told: set[str] = set()

    def put_in(self, original: Any, model: Any, base: Any, *args: Any, **more: Any) -> None:
        """`PeftModel.__init__`: the base model gets an adapter."""
        before: dict[str, float] = {}
        with contextlib.suppress(Exception):  # adapters of another kind
            before = dict(_trained(base))
        original(model, base, *args, **more)
        self.then(model)
        with contextlib.suppress(Exception):
            if before and not _loads():
                self._compare(base, before)
            self._unused.discard(id(base))
            if _loads():
                self._unused.add(id(base))
                model.register_state_dict_pre_hook(self._read)
            if id(base) not in self._last or not _loads():
                self._owners = [*self._owners, (model, base, model.active_adapter)][-MODELS:]
                self._last[id(base)] = model
                for module in (model, base):
                    module.register_forward_pre_hook(self._called, with_kwargs=True)

    def _compare(self, base: Any, before: dict[str, float]) -> None:
        """Tell what a second adapter has left of the trained weights of the first."""
        after = dict(_trained(base))
        left = [name for name, total in after.items() if before.get(name) == total]
        inside = is_adapted(base)
        if left and (inside or id(base) in self._last):
            self._tell("adapter left over", str(len(left)), left[0])
        elif inside and not after:
            self._tell("adapter covered", str(len(before)))
        elif id(base) in self._unused and not dict(_trained(base, every=True)):
            self._tell("loaded adapter replaced", str(len(before)))

    def saved(self, model: Any) -> None:
        """A model with an adapter is saved."""
        for owner, base, name in self._owners:
            last = self._last.get(id(base))
            if owner is model and last is not model and name == getattr(last, "active_adapter", ""):
                self._tell("adapter replaced")

    def generates(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        """`generate` of a model with an adapter, which calls that of its base model."""
        before, self._inside = self._inside, model
        try:
            return original(model, *args, **more)
        finally:
            self._inside = before

    def asked(self, model: Any, ids: Any) -> None:
        """A model generates for the script's own code."""
        if here() is not None:
            self._note(self.whole(model), ids)

    def whole(self, model: Any) -> Any:
        """The model with an adapter whose base model generates; else the model itself."""
        return model if self._inside is None else self._inside

    def _note(self, model: Any, ids: Any, more: bool = False) -> None:
        if getattr(ids, "ndim", 0) != 2:
            return
        with contextlib.suppress(Exception):
            base, alone = self._base(model)
            if base is None or not (weights := tuple(total for _, total in _trained(base))):
                return
            call = (base, alone, ids.tolist(), weights, more)
            for other in self._asked:
                if other[0] is base and other[1] is not alone and other[2:] == call[2:]:
                    self._tell("compared with itself")
            self._asked = [*self._asked, call][-ASKED:]

    def _called(self, module: Any, given: Any, named: Any) -> None:
        """A model is called: by the script's own code, if nothing but torch is between."""
        self._unused.discard(id(self._base(module)[0]))
        if called_by_user(TORCH):
            more = any(named.get(name) for name in PARTS)
            self._note(module, named.get("input_ids", given[0] if given else None), more)

    def _read(self, model: Any, *about: Any) -> None:
        """The weights of a model are read, to save them or to put them into another."""
        if called_by_user(READERS):
            self._unused.discard(id(self._base(model)[0]))

    def __deepcopy__(self, memo: Any) -> Adapted:
        """Copies of models are watched as they are."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return Adapted, (self.record,)

    def _base(self, model: Any) -> tuple[Any, bool]:
        """The module that an adapter was put into, and whether the model is that module alone."""
        for owner, base, _ in reversed(self._owners):
            if model is owner or model is base:
                return base, model is base
        return None, False

    def _tell(self, what: str, *words: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self.record.mistake(Mistake(what, list(words), here()))


def _trained(base: Any, *, every: bool = False) -> Iterator[tuple[str, float]]:
    """The layers whose active adapter (or `every` one) is trained, and a sum of its weights."""
    for name, layer in base.named_modules():
        weights = getattr(layer, "lora_B", None)
        if weights is None or getattr(layer, "disable_adapters", False):
            continue
        active = [one for one in weights if every or one in layer.active_adapters]
        total = sum(float(weights[one].weight.detach().float().abs().sum()) for one in active)
        if total:
            yield name, total


def _loads() -> bool:
    """Whether saved weights are loaded into the adapter."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_name
        if name == PUTS_ON or (name == "from_pretrained" and "peft" in frame.f_code.co_filename):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
