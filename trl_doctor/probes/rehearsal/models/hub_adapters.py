"""Adapters of the Hub that are not here: a new one of the usual form takes the place of each."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ...loading.config import ADAPTER
from ..where import here
from .small import Small, once

RANK = 8
FORM = {
    "peft_type": "LORA",
    "r": RANK,
    "lora_alpha": 2 * RANK,
    "lora_dropout": 0.0,
    "target_modules": "all-linear",
    "bias": "none",
}
"""What is put in the place of an adapter that is not known."""

TASKS = {
    "SequenceClassification": "SEQ_CLS",
    "TokenClassification": "TOKEN_CLS",
    "Seq2SeqLM": "SEQ_2_SEQ_LM",
    "FeatureExtraction": "FEATURE_EXTRACTION",
}
"""The tasks of adapters by what the names of classes end in; that of any other is `CAUSAL_LM`."""


class HubAdapters:
    """The folders that stand for the names of adapters."""

    def __init__(self, small: Small) -> None:
        self.small = small
        self.made: set[str] = set()
        """The folders of adapters that are new."""

    def read_config(self, original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        """`PeftConfig.from_pretrained`."""
        return self._of_folder(original, cls, name, args, more, "CAUSAL_LM")

    def load(self, original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        """`AutoPeftModel….from_pretrained`, which loads the base model, too."""
        return self._of_folder(original, cls, name, args, more, task_of(cls.__name__))

    def _of_folder(self, original: Any, cls: Any, name: Any, args: Any, more: Any,
                   task: str) -> Any:  # fmt: skip
        folder = self.folder(name, task)
        if folder != name:
            for key in ("revision", "subfolder"):
                more.pop(key, None)
        return original(cls, folder, *args, **more)

    def folder(self, name: Any, task: str) -> Any:
        """Where the files of an adapter are; what is no name of the Hub is given back as it is."""
        if not isinstance(name, str) or Path(name).is_dir() or self.small.made_by_script(name):
            return name
        found = self.small.files_of(name, ADAPTER)
        if found and (found[0] / ADAPTER).is_file():
            return str(found[0])
        if name.count("/") != 1 or name.startswith((".", "/", "~")):
            return name
        return self._made(name, task)

    def _made(self, name: str, task: str) -> str:
        digest = hashlib.sha256(f"{name} {task}".encode()).hexdigest()[:12]
        into = self.small.order.models / f"adapter-{digest}"

        def make() -> dict[str, Any]:
            form = {**FORM, "task_type": task, "base_model_name_or_path": name}
            (into / ADAPTER).write_text(json.dumps(form), "utf-8")
            return {}

        once(into, make)
        self.made.add(str(into))
        self.small.record.add("hub adapter", name=name, origin="made", size=RANK, at=here())
        return str(into)


def task_of(class_name: str) -> str:
    """The task of the adapters that a class of models, or of adapted models, has."""
    return next((task for end, task in TASKS.items() if class_name.endswith(end)), "CAUSAL_LM")
