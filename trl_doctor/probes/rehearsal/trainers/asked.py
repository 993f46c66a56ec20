"""What is seen of the models that the script asks by itself, beside its trainers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..models.loading import Loading
from ..models.merged_away import MergedAway
from ..models.token_scores import TokenScores
from .classes import released
from .earlier import ALIGNS
from .forgetting import Forgetting
from .modes import InTraining
from .scored import Scored
from .untrained import Untrained


class Asked:
    """Texts without their end, models in training mode or as they were before it, and scores."""

    def __init__(self, loading: Loading) -> None:
        self.scored, self.modes = Scored(loading.record), InTraining(loading.record)
        self.forgetting, self.thawed = Forgetting(loading.record), loading.thawed
        self.untrained = Untrained(loading.record)
        self.tokens, self.fresh = TokenScores(loading.record), loading.fresh
        self.merged = MergedAway(loading.record)
        loading.unmerged.then = self.merged.saved
        loading.then = self._loaded
        loading.adapted.then = self._adapted

    @contextlib.contextmanager
    def training(self, trainer: Any) -> Iterator[None]:
        """A trainer trains; what it has learnt is known afterwards."""
        self.thawed.trains(trainer)
        kind = released(type(trainer)).__name__
        self.merged.trains(trainer, kind if kind.startswith(ALIGNS) else "")
        self.tokens.watch(getattr(trainer, "model", None))
        with self.scored.training(trainer), self.untrained.training(trainer):
            yield

    @contextlib.contextmanager
    def examined(self, trainer: Any) -> Iterator[None]:
        """The doctor examines a trainer that has taken its steps."""
        with self.modes.examined(trainer), self.untrained.aside():
            yield

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
        self.merged.loaded(model)
        self.modes.watch(model)
        self.tokens.watch(model)
        self.untrained.loaded(model)

    def _adapted(self, model: Any) -> None:
        self.tokens.watch(model)
        self.untrained.adapted(model)
