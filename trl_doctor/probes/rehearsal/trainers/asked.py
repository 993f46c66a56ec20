"""What is seen of the models that the script asks by itself, beside its trainers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..models.loading import Loading
from ..models.token_scores import TokenScores
from .forgetting import Forgetting
from .modes import InTraining
from .scored import Scored


class Asked:
    """Texts without their end, models in training mode, and tokens that scores are read for."""

    def __init__(self, loading: Loading) -> None:
        self.scored, self.modes = Scored(loading.record), InTraining(loading.record)
        self.forgetting, self.thawed = Forgetting(loading.record), loading.thawed
        self.examined = self.modes.examined
        self.tokens, self.fresh = TokenScores(loading.record), loading.fresh
        loading.then = self._loaded
        loading.adapted.then = self.tokens.watch

    def training(self, trainer: Any) -> AbstractContextManager[None]:
        """A trainer is about to train; what it has learnt is known afterwards."""
        self.thawed.trains(trainer)
        self.tokens.watch(getattr(trainer, "model", None))
        return self.scored.training(trainer)

    def generates(self, model: Any, prompts: Any, more: dict[str, Any]) -> bool:
        """A model is about to generate, perhaps in the middle of a training; not for the doctor."""
        if self.forgetting.busy:
            return False
        self.fresh.generates(model)
        self.forgetting.generates(model, prompts, more)
        self.modes.generates(model, prompts, more)
        return True

    def _loaded(self, model: Any) -> None:
        self.scored.loaded(model)
        self.modes.watch(model)
        self.tokens.watch(model)
