"""Lets a callback that needs evaluations see the script's own arguments, not the small ones."""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

from .. import patching
from .configs import OWN

EVALUATION = ("eval_strategy", "evaluation_strategy", "load_best_model_at_end",
              "metric_for_best_model")  # fmt: skip
"""What such a callback reads; a rehearsal evaluates once, and at the end."""


def early(module: ModuleType) -> None:
    """`EarlyStoppingCallback` of `transformers.trainer_callback`."""
    if hasattr(module, "EarlyStoppingCallback"):
        for event in ("on_train_begin", "on_evaluate"):
            patching.around(module.EarlyStoppingCallback, event, _with_own_arguments)


def _with_own_arguments(
    original: Any, callback: Any, args: Any, *positional: Any, **more: Any
) -> Any:
    own = vars(args).get(OWN, {})
    own_args = copy.copy(args)
    for name in EVALUATION:
        if name in own:
            setattr(own_args, name, own[name])
    if own_args.load_best_model_at_end and own_args.metric_for_best_model is None:
        own_args.metric_for_best_model = "loss"  # as TrainingArguments does
    return original(callback, own_args, *positional, **more)
