"""Tells a tracker in which phase of a trainer's step it is."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from ..watching.optimizers import steps
from .log import BACKWARD, FORWARD, SCORING, STEP
from .tracker import Tracker


@dataclasses.dataclass(frozen=True)
class _Phases:
    """Tells the tracker when the parts of a trainer's step begin and end.

    `opened` holds what makes tensors fake during an optimizer's step.
    """

    tracker: Tracker
    after_step: Callable[[Any], None]
    opened: list[Any] = dataclasses.field(default_factory=list)

    def within(self, phase: str, call: Any) -> Any:
        """The same call, which the tracker counts as this phase."""

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.tracker.enter(phase)
            try:
                with self.tracker.large_faked() if phase == FORWARD else self.tracker.faked():
                    return call(*args, **kwargs)
            finally:
                self.tracker.enter(SCORING if phase != BACKWARD else BACKWARD)

        return counted

    def learning(self, module: Any, *_: Any) -> None:
        """A forward pass with gradients that `compute_loss` does not hold: PPO has a loop."""
        import torch

        if self.tracker.phase == SCORING and torch.is_grad_enabled() and module.training:
            self.tracker.enter(FORWARD)

    def step_begins(self, *_: Any) -> None:
        self.tracker.enter(STEP)
        self.opened.append(self.tracker.faked())
        self.opened[-1].__enter__()

    def step_ends(self, optimizer: Any, *_: Any) -> None:
        self.opened.pop().__exit__(None, None, None)
        self.after_step(optimizer)
        self.tracker.enter(SCORING)


@contextlib.contextmanager
def phases(trainer: Any, tracker: Tracker, after_step: Callable[[Any], None]) -> Iterator[None]:
    """While this lasts the tracker follows the trainer's loss, backward pass and optimizer.

    `after_step` is called with the optimizer after each of its steps.
    """
    follow = _Phases(tracker, after_step)
    parts = [(trainer.accelerator, "backward", BACKWARD),
             (trainer.accelerator, "clip_grad_norm_", BACKWARD)]  # fmt: skip
    if hasattr(trainer, "compute_loss"):
        parts.append((trainer, "compute_loss", FORWARD))
    with contextlib.ExitStack() as stack:
        stack.callback(trainer.model.register_forward_pre_hook(follow.learning).remove)
        for owner, name, phase in parts:
            call = follow.within(phase, getattr(owner, name))
            stack.enter_context(mock.patch.object(owner, name, call))
        stack.enter_context(steps(follow.step_begins, follow.step_ends))
        yield
