"""What is seen of the models that the script asks by itself, beside its trainers."""

from __future__ import annotations

from typing import Any

from ..models.loading import Loading
from .modes import InTraining
from .scored import Scored


class Asked:
    """Texts without their end, and models in training mode."""

    def __init__(self, loading: Loading) -> None:
        self.scored, self.modes = Scored(loading.record), InTraining(loading.record)
        self.training, self.examined = self.scored.training, self.modes.examined
        self.generates = self.modes.generates
        loading.then = self._loaded

    def _loaded(self, model: Any) -> None:
        self.scored.loaded(model)
        self.modes.watch(model)
