"""An adapter that was trained after an earlier one was merged, and is put on the plain base."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...loading.config import mapping
from ..record import Mistake, Record
from ..where import here
from .bases import ADAPTER, is_adapted
from .saved_weights import Digest, digests_of, of_tensor

WHAT = "base without earlier stage"
PLAIN = (None, True, False, "gaussian")
"""How an adapter may begin: other ways change the weights of its base, and do so again."""

OUTER = ("embed", "lm_head", "score", "wte")
"""Parts of the names of weights that are saved with an adapter where they change."""


class Unmerged:
    """Compares the base of an adapter when it is saved with the one that it is put on.

    Only a base whose weights are those of its files is told, into which nothing was merged. It is
    told when somebody calls or saves it: until then another adapter may be put on it, too.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.then: Callable[[Any, str], None] = lambda model, folder: None
        """What else sees each model that is saved."""
        self._bases: dict[str, set[Digest]] = {}
        self._merged: weakref.WeakSet[Any] = weakref.WeakSet()
        self._open: weakref.WeakKeyDictionary[Any, tuple[list[str], Any]]
        self._open = weakref.WeakKeyDictionary()

    def saved(self, model: Any, folder: str) -> None:
        """Remember the base of an adapter that the script saves; tell of a base that it saves."""
        self.then(model, folder)
        self._tell(_base(model))
        with contextlib.suppress(Exception):  # an adapter of another kind
            if is_adapted(model) and not any(
                getattr(one, "merged", False) for one in model.modules()
            ):
                self._bases[os.path.realpath(folder)] = _known(model)

    def merges(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        """`merge_and_unload` and `merge_adapter`: the base is not plain any more."""
        if (base := _base(model)) not in self._open:
            self._merged.add(base)
        return original(model, *args, **more)

    def put_on(self, model: Any, adapter: str) -> None:
        """An adapter that the script has saved is about to be put on a model."""
        with contextlib.suppress(Exception):  # weights of another kind
            known = self._bases.get(os.path.realpath(adapter))
            second = self._open.pop(_base(model), ([], None))[0]
            if second or is_adapted(model) or known is None:
                return
            config = mapping(Path(adapter) / ADAPTER)
            usual = config.get("peft_type") == "LORA" and config.get("init_lora_weights") in PLAIN
            if usual and model not in self._merged and self._is_plain(model, known):
                self._open[model] = ([Path(adapter).name], here())
                model.register_forward_pre_hook(self._called)

    def _is_plain(self, model: Any, known: set[Digest]) -> bool:
        """Whether a model has the weights of its files, which the adapter's base did not have."""
        files = _matrices(Path(model.config._name_or_path))
        return bool(files) and files <= _known(model) and not files <= known

    def _called(self, module: Any, given: Any) -> None:
        self._tell(module)

    def _tell(self, base: Any) -> None:
        with contextlib.suppress(TypeError):  # what no weak reference is made of
            if (found := self._open.pop(base, None)) and not _has_several(base):
                words, place = found
                self.record.mistake(Mistake(WHAT, words, place))

    def __deepcopy__(self, memo: Any) -> Unmerged:
        """Copies of models are watched as they are."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return Unmerged, (self.record,)


def _base(model: Any) -> Any:
    return model.get_base_model() if is_adapted(model) else model


def _has_several(base: Any) -> bool:
    """Whether other adapters are beside the one that was put on it."""
    return any(len(getattr(one, "lora_A", ())) > 1 for one in base.modules())


def _known(model: Any) -> set[Digest]:
    return {one for digests in digests_of(model).values() for one in digests}


def _matrices(folder: Path) -> set[Digest]:
    """What identifies the weights of the layers in a folder of a whole model."""
    from safetensors import safe_open

    found: set[Digest] = set()
    for file in folder.glob("model*.safetensors"):
        with safe_open(str(file), framework="pt") as tensors:
            for name in tensors.keys():  # noqa: SIM118
                weights = tensors.get_tensor(name)
                if weights.ndim > 1 and not any(part in name for part in OUTER):
                    found.add(of_tensor(weights))
    return found
