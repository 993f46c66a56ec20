"""The run's first evaluation, on the rows of the step."""

from __future__ import annotations

from typing import Any

from ..answers.error import Error
from ..child import told
from ..loading.adapter import flag

WITHOUT = ("ppo",)
"""Trainers that evaluate in their own way."""

KEYS = ("eval_strategy", "evaluation_strategy")


def wanted(run: dict[str, Any], trainer: str) -> bool:
    """Whether a run evaluates as the class of transformers does."""
    asked = any(str(run.get(key, "no")).lower() in ("steps", "epoch") for key in KEYS)
    return trainer not in WITHOUT and (asked or flag(run.get("eval_on_start")))


def raised(trainer: Any) -> Error | None:
    """What an evaluation raises; its batch is that of the step, which groups fill."""
    trainer.args.per_device_eval_batch_size = trainer.args.per_device_train_batch_size
    try:
        trainer.evaluate()
    except Exception as error:
        return told(error)
    return None
