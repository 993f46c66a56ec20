"""Lets the last step save a checkpoint, where code of the script's own runs when one is saved."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...members import word
from ..kinds import LIBRARIES, package_of
from ..order import Order
from . import configs
from .evaluations import Raised

STRATEGIES = ("steps", "epoch")
"""The values of `save_strategy` with which a job saves, whatever its evaluations give."""


def saves(trainer: Any) -> bool:
    """Whether the job saves checkpoints while it trains."""
    given = getattr(trainer.args, configs.OWN, None)
    return given is not None and word(given.get(configs.SAVES, "steps")).lower() in STRATEGIES


@contextlib.contextmanager
def saved(trainer: Any, order: Order, evaluated: Raised) -> Iterator[None]:
    """While this lasts, the trainer saves after a few steps, and calls the script's `on_save`.

    A wide rehearsal saves after as many as the script says, if it takes so many.
    """
    handler = getattr(trainer, "callback_handler", None)
    if not saves(trainer) or handler is None or not _own_code(trainer, handler):
        yield
        return
    args, failed = trainer.args, False
    before = args.save_strategy, args.save_steps
    own = before[1] if isinstance(before[1], int) and order.wide else order.steps
    steps = own if 0 < own <= args.max_steps else order.steps
    args.save_strategy, args.save_steps = configs.type_like(before[0], "steps"), steps
    save, on_save = trainer._save_checkpoint, handler.on_save

    def evaluates_and_saves(*positional: Any, **more: Any) -> Any:
        nonlocal failed
        failed = bool(evaluated())
        return None if failed else save(*positional, **more)

    def after(args: Any, state: Any, control: Any, *positional: Any, **more: Any) -> Any:
        if not failed:
            return on_save(args, state, control, *positional, **more)
        control.should_save = False
        return control

    trainer._save_checkpoint, handler.on_save = evaluates_and_saves, after
    try:
        yield
    finally:
        del trainer._save_checkpoint, handler.on_save
        args.save_strategy, args.save_steps = before


def _own_code(trainer: Any, handler: Any) -> bool:
    """Whether the script's own code acts on a checkpoint: in a callback or in the trainer."""
    acts = [getattr(callback, "on_save", None) for callback in handler.callbacks]
    acts.append(getattr(trainer, "_save_checkpoint", None))
    return any(package_of(act) not in {"", *LIBRARIES} for act in acts)


def resumed(checkpoint: Any, order: Order) -> Any:
    """The checkpoint that the first training goes on with, where it is none of the script's."""
    if isinstance(checkpoint, (str, os.PathLike)) and os.fspath(checkpoint):
        path = Path(os.fspath(checkpoint)).absolute()
        own = path.is_dir() and not order.users(path).is_dir()
        return None if own else str(checkpoint)
    return True if checkpoint is True else None
