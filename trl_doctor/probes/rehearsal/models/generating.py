"""Sees how the script itself generates."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

from .. import patching
from ..record import Record
from ..where import here


class Busy(Protocol):
    """Says whether a trainer is at work."""

    depth: int


class Generating:
    """A patch of `generate`, for the calls of the script that no trainer makes."""

    def __init__(self, record: Record, trainers: Busy) -> None:
        self.record, self.trainers, self.told = record, trainers, set[str]()

    def act(self, module: ModuleType) -> None:
        """`generate` of every model of transformers."""
        patching.around(module.GenerationMixin, "generate", self._generate)

    def _generate(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        if not self.trainers.depth:
            self._note(_padded_after(model, more))
        return original(model, *args, **more)

    def _note(self, padded: bool) -> None:
        for kind in ("generated", *(["padded prompts"] if padded else [])):
            if kind not in self.told:
                self.told.add(kind)
                self.record.tell(kind, at=here())


def _padded_after(model: Any, more: dict[str, Any]) -> bool:
    """Whether prompts of different lengths are padded behind their ends."""
    mask = more.get("attention_mask")
    encodes = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    if mask is None or encodes or getattr(mask, "ndim", 0) != 2 or mask.shape[0] < 2:
        return False
    return bool((mask[:, -1] == 0).any()) and bool((mask[:, 0] == 1).all())
