"""Sees a model that forgets what it has read: it generates while it is trained to save memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...dropouts import dropout_of
from ..record import Mistake, Record
from ..where import called_by_user, here
from .modes import modes_of, set_modes

TOKENS, ROWS, CLOSE = 3, 2, 1e-2
"""Tokens and rows that are generated, and the distance of scores that means nothing."""

TRIED = 4
"""Calls that are compared: models that keep what they read need no more."""

THROUGH = ("/peft/", "/probes/rehearsal/")
"""Parts of the names of files through which a script asks a model with an adapter."""

KEPT = ("use_cache", "generation_config")
"""Arguments of the script's own call that say whether there is a cache."""

WHAT = "forgets in training mode"


class Forgetting:
    """Models that generate for the script's own code with gradient checkpointing at work.

    Layers in training mode then keep no cache. Where the model has made one, `generate` gives it
    the last token alone: each token follows from the one before it, and from nothing else.
    """

    def __init__(self, record: Record) -> None:
        self.record, self.busy, self.left = record, False, TRIED

    def generates(self, model: Any, prompts: Any, more: dict[str, Any]) -> None:
        """A model is about to generate; it does so before in both modes, and is compared."""
        active = getattr(model, "is_gradient_checkpointing", False) and model.training
        if not self.left or not active or not called_by_user(THROUGH):
            return
        self.left -= 1
        with contextlib.suppress(Exception):  # a model of another kind
            given = {name: more[name] for name in KEPT if name in more}
            if not dropout_of(model) and self._differs(model, prompts[:ROWS], given):
                self.left = 0
                self.record.mistake(Mistake(WHAT, [], here()))

    def _differs(self, model: Any, prompts: Any, given: dict[str, Any]) -> bool:
        """Whether later tokens have other scores than in evaluation mode, and the first has not."""
        import torch

        with self._unseen(), torch.random.fork_rng(devices=[]):
            now = _scores(model, prompts, given)
            with _evaluated(model):
                then = _scores(model, prompts, given)
        far = [float((one - other).abs().max()) > CLOSE for one, other in zip(now, then)]
        return len(far) > 1 and not far[0] and any(far[1:])

    @contextlib.contextmanager
    def _unseen(self) -> Iterator[None]:
        self.busy = True
        try:
            yield
        finally:
            self.busy = False


def _scores(model: Any, prompts: Any, given: dict[str, Any]) -> list[Any]:
    """The scores of a few tokens."""
    few = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False}
    out = model.generate(
        input_ids=prompts, output_logits=True, return_dict_in_generate=True, **few, **given
    )
    return [scores.float() for scores in out.logits]


@contextlib.contextmanager
def _evaluated(model: Any) -> Iterator[None]:
    """A model in evaluation mode, and afterwards in the one that it had."""
    modes = modes_of(model)
    model.eval()
    try:
        yield
    finally:
        set_modes(modes)
