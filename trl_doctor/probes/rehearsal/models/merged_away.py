"""Adapters that were merged into their base, and a trainer that begins with the base all the same.

In a rehearsal the adapter may be a new one: nobody sees it by the weights, but by where they go.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Mistake, Record
from ..rows.intent import says
from ..where import TORCH, At, called_by_user, here
from .bases import is_adapted

OTHERWISE = re.compile(
    r"load_state_dict|load_adapter|set_peft_model_state_dict|\.copy_\(|torch\.save|save_file"
    r"|subprocess|os\.system|\bLLM\(|(?<!trainer)\.push_to_hub\(|upload_folder"
)
"""What a script says that may take the merged weights where they are not followed."""

THROUGH = ("/peft/",)
"""Files between the script's code and what merges."""


class Stage:
    """A model that a loaded adapter was put on; it is merged where `at` says so."""

    def __init__(self, model: Any = None) -> None:
        self.model = weakref.ref(model) if model is not None else lambda: None
        self.kind, self.name = type(model), _name(model)
        self.at: At | None = None
        self.used = False
        self.folders: list[str] = []
        self.begun: tuple[str, At | None] | None = None
        """The trainer that begins with the base, and where it trains."""

    def is_base_of(self, model: Any) -> bool:
        """Whether a model was loaded by the same name."""
        return type(model) is self.kind and bool(self.name) and _name(model) == self.name

    def called(self, model: Any, given: Any) -> None:
        """The model is called, by the script or in a training."""
        self.used = True

    def read(self, model: Any, *about: Any) -> None:
        """Its weights are read, but not to save it."""
        self.used = self.used or bool(called_by_user(TORCH))

    def __deepcopy__(self, memo: Any) -> Stage:
        """A copy of the model is as good as the model."""
        return self

    def __reduce__(self) -> Any:
        """In a saved model it knows nothing."""
        return Stage, ()


class MergedAway:
    """Follows such a model until the script ends."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.stages: list[Stage] = []
        self._trained = False

    def act(self, module: ModuleType) -> None:
        """What merges, in the modules that may have it."""
        for name in ("BaseTuner", "LoraModel"):
            if hasattr(module, name):
                patching.around(getattr(module, name), "merge_and_unload", self.merges)

    def loaded(self, model: Any) -> None:
        """A model was loaded, or an adapter with its base."""
        with contextlib.suppress(Exception):  # a model of another kind
            for stage in self.stages:
                stage.used = stage.used or os.path.realpath(_name(model)) in stage.folders
            if is_adapted(model) and not self._trained:
                base = model.get_base_model()
                stage = Stage(base)
                self.stages.append(stage)
                base.register_forward_pre_hook(stage.called)
                base.register_state_dict_pre_hook(stage.read)

    def merges(self, original: Any, tuner: Any, *args: Any, **more: Any) -> Any:
        """`merge_and_unload`, before anything was trained: later it merges what was."""
        model = original(tuner, *args, **more)
        at = called_by_user(THROUGH)
        for stage in self.stages if at and not self._trained else ():
            if stage.model() is model:
                stage.at = at
        return model

    def saved(self, model: Any, folder: str) -> None:
        """A model is saved there."""
        for stage in self.stages:
            if stage.model() is model and stage.at:
                stage.folders.append(os.path.realpath(folder))

    def trains(self, trainer: Any, kind: str) -> None:
        """A trainer of this kind begins, which is to go on with what was trained before."""
        first, self._trained = not self._trained, True
        model: Any = getattr(trainer, "model", None)
        model = model.get_base_model() if is_adapted(model) else model
        texts = {os.path.realpath(text) for part in (trainer, getattr(trainer, "args", None))
                 for text in getattr(part, "__dict__", {}).values()
                 if isinstance(text, str) and text}  # fmt: skip
        adapted = any(stage.model() is model for stage in self.stages)
        for stage in self.stages:
            stage.used = stage.used or not texts.isdisjoint(stage.folders)
            if kind and stage.at and not adapted and stage.is_base_of(model):
                stage.begun = stage.begun or (kind, here())
        if first and self.stages:
            atexit.register(self._tell)

    def _tell(self) -> None:
        """Tell, once the script has ended, of what nothing has used."""
        begun = [stage for stage in self.stages if stage.begun and stage.at and not stage.used]
        for stage in begun if begun and not says(OTHERWISE) else ():
            (kind, at), (file, line) = stage.begun or ("", None), stage.at or ("", 0)
            kept = f", which is in {Path(stage.folders[0]).name}" if stage.folders else ""
            words = [kind, f"{Path(file).name}:{line}", kept]
            self.record.mistake(Mistake("merged stage unused", words, at))


def _name(model: Any) -> str:
    """The folder, or the name, that a model was loaded by."""
    return str(getattr(getattr(model, "config", None), "_name_or_path", "") or "")
