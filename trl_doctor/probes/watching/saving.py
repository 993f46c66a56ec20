"""What comes after the step: the model is saved, and a second trainer goes on from a checkpoint."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any

from ..answers.error import Error
from ..answers.step import Resumed
from ..child import error_answer
from ..members import word
from .optimizers import steps

KEY = "resume_from_checkpoint"
PATIENCE = 20.0
"""Seconds of a step after which no second one is taken."""

NAMES = 5
"""The most names of weights that are reported."""


def resumes(run: dict[str, Any], trainer: type) -> bool:
    """Whether the run writes checkpoints, and its trainer can go on from one."""
    saves = word(run.get("save_strategy", "steps")).lower() not in ("no", "false")
    train = getattr(trainer, "train", None)
    return saves and train is not None and KEY in inspect.signature(train).parameters


def not_saved(trainer: Any) -> Error | None:
    """What is raised when the trainer saves its model, as TRL's scripts let it at the end."""
    try:
        trainer.save_model("saved")
    except Exception as error:
        return error_answer(error)
    finally:
        shutil.rmtree("saved", ignore_errors=True)
    return None


def resumed(trainer: Any, repeat: Any) -> Resumed:
    """What becomes of a second trainer that takes one more step, from a checkpoint of the first."""
    watch = _Watch(trainer)
    try:
        with steps(watch.before, lambda *_: None):
            again = repeat.resume(trainer)
        watch.named(again.model)
        result = Resumed(None, tuple(watch.differing[:NAMES]), len(watch.differing))
    except Exception as error:
        result = Resumed(error_answer(error))
    finally:
        shutil.rmtree(Path(trainer.args.output_dir), ignore_errors=True)
    return result


class _Watch:
    """Which weights the second trainer has otherwise before its step than the first left them."""

    def __init__(self, trainer: Any) -> None:
        self.left = _trained(trainer.model)
        self.begun: dict[int, Any] | None = None
        self.differing: list[str] = []

    def before(self, optimizer: Any, *_: Any) -> None:
        """Keep the weights as they are before the first step."""
        if self.begun is None:
            parameters = (
                parameter for group in optimizer.param_groups for parameter in group["params"]
            )
            self.begun = {id(weights): weights.detach().clone() for weights in parameters}

    def named(self, model: Any) -> None:
        """Compare them by the names that the second trainer's model has for them."""
        import torch

        begun = self.begun or {}
        for name, weights in _trained(model).items():
            then, after = begun.get(id(weights)), self.left.get(name)
            if then is not None and after is not None and not torch.equal(then, after.detach()):
                self.differing.append(name)


def _trained(model: Any) -> dict[str, Any]:
    return {name: weights for name, weights in model.named_parameters() if weights.requires_grad}
