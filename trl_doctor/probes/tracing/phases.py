"""Tells a tracker in which phase of a trainer's step it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from ..watching.optimizers import steps
from .log import BACKWARD, FORWARD, SCORING, STEP
from .tracker import Tracker


@contextlib.contextmanager
def phases(trainer: Any, tracker: Tracker, after_step: Callable[[Any], None]) -> Iterator[None]:
    """While this lasts the tracker follows the trainer's loss, backward pass and optimizer.

    `after_step` is called with the optimizer after each of its steps.
    """
    import torch

    def within(phase: str, call: Any) -> Any:
        def done(*args: Any, **kwargs: Any) -> Any:
            tracker.enter(phase)
            try:
                with tracker.large_faked() if phase == FORWARD else tracker.faked():
                    return call(*args, **kwargs)
            finally:
                tracker.enter(SCORING if phase != BACKWARD else BACKWARD)

        return done

    def learning(module: Any, *_: Any) -> None:
        if tracker.phase == SCORING and torch.is_grad_enabled() and module.training:
            tracker.enter(FORWARD)  # of a trainer with a loop of its own, as PPO's

    opened: list[Any] = []

    def before(*_: Any) -> None:
        tracker.enter(STEP)
        opened.append(tracker.faked())
        opened[-1].__enter__()

    def after(optimizer: Any, *_: Any) -> None:
        opened.pop().__exit__(None, None, None)
        after_step(optimizer)
        tracker.enter(SCORING)

    accelerator = trainer.accelerator
    with contextlib.ExitStack() as stack:
        stack.callback(trainer.model.register_forward_pre_hook(learning).remove)
        patch = mock.patch.object
        if hasattr(trainer, "compute_loss"):
            stack.enter_context(
                patch(trainer, "compute_loss", within(FORWARD, trainer.compute_loss))
            )
        stack.enter_context(patch(accelerator, "backward", within(BACKWARD, accelerator.backward)))
        clip = within(BACKWARD, accelerator.clip_grad_norm_)
        stack.enter_context(patch(accelerator, "clip_grad_norm_", clip))
        stack.enter_context(steps(before, after))
        yield
