"""Weights that stay random although the script has loaded others: they were not in the file."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .. import patching
from ..record import Mistake, Record
from ..where import CALLERS, TORCH, At, called_by_user, here
from .bases import ADAPTER
from .saved_weights import Digest, digests_of, of_folder

THROUGH = (*TORCH, "/peft/utils/save_and_load.py")
"""Between the script's code and `load_state_dict` may be these."""

HIDDEN = "output_hidden_states"
"""What a call asks for that does not look at the head of the model."""

SHOWN, MOST = 2, 16
"""Weights that are named, and models that are remembered."""


class Loaded(NamedTuple):
    """A model that the script has loaded from a folder of its own, and what was not there."""

    model: Any
    folder: str
    fresh: Mapping[str, set[Digest]]
    at: At | None


class FreshWeights:
    """Models with random weights, and state dicts of which a model has no name."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.models: list[Loaded] = []
        self.asked: set[int] = set()
        self.dicts: dict[int, tuple[Any, list[str], At | None]] = {}
        self._waits = False

    def act(self, module: ModuleType) -> None:
        """`load_state_dict` of every module of torch."""
        patching.around(module.Module, "load_state_dict", self._load)

    def loaded(self, model: Any, folder: str | None) -> None:
        """A model was loaded from a folder that the script has saved; None for another one."""
        if folder is None or len(self.models) >= MOST or not hasattr(model, "named_parameters"):
            return
        with contextlib.suppress(Exception):  # weights of another kind
            path = Path(folder)
            saved = set[Digest]() if (path / ADAPTER).is_file() else of_folder(path)[0]
            own = digests_of(model) if saved else {}
            if fresh := {name: found for name, found in own.items() if saved.isdisjoint(found)}:
                self.models.append(Loaded(model, path.name, fresh, here()))
                patching.before_calls(model, self._called)
                self._wait()

    def generates(self, model: Any) -> None:
        """A model generates for the script's own code."""
        if here() is not None:
            self.asked.add(id(model))

    def _called(self, model: Any, given: Any, named: Any) -> None:
        if called_by_user(CALLERS) and not named.get(HIDDEN):
            self.asked.add(id(model))

    def _load(self, original: Any, module: Any, state: Any, *args: Any, **more: Any) -> Any:
        """Remember state dicts of which nothing has a place, until others have one."""
        result = original(module, state, *args, **more)
        names, missing = (list(getattr(result, name, ())) for name in
                          ("unexpected_keys", "missing_keys"))  # fmt: skip
        if len(names) < len(state):
            self.dicts.pop(id(module), None)
        elif names and missing and (at := called_by_user(THROUGH)):
            words = [str(len(names)), names[0], missing[0]]
            self.dicts[id(module)] = module, words, at
            self._wait()
        return result

    def _wait(self) -> None:
        if not self._waits:
            self._waits = True
            atexit.register(self._tell)

    def _tell(self) -> None:
        """Tell, once the script has ended, of what has stayed as it was."""
        for _, words, at in self.dicts.values():
            self.record.mistake(Mistake("state dict without place", words, at))
        for model, folder, fresh, at in self.models:
            now = digests_of(model) if id(model) in self.asked else {}
            if random := [name for name, then in fresh.items() if now.get(name) == then]:
                words = [", ".join(random[:SHOWN]), folder]
                self.record.mistake(Mistake("random weights asked", words, at))

    def __deepcopy__(self, memo: Any) -> FreshWeights:
        """Copies of a model are watched as it is."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return FreshWeights, (self.record,)
