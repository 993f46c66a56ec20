"""The run's first evaluation, on the rows of the step."""

from __future__ import annotations

from typing import Any

from ..answers.error import Error
from ..child import error_answer
from ..loading.adapter import flag
from ..members import word

WITHOUT = ("ppo",)
"""Trainers that evaluate in their own way."""

BEST = "_determine_best_metric"
"""The method that looks for `metric_for_best_model`, since transformers 4.47."""

KEYS = ("eval_strategy", "evaluation_strategy")


def wanted(run: dict[str, Any], trainer: str) -> bool:
    """Whether a run evaluates as the class of transformers does."""
    evaluates = any(word(run.get(key, "no")).lower() in ("steps", "epoch") for key in KEYS)
    return trainer not in WITHOUT and (evaluates or flag(run.get("eval_on_start")))


def at_the_start(run: dict[str, Any], used: dict[str, Any]) -> dict[str, Any]:
    """The arguments with which the step evaluates before it trains, where the run does."""
    if not flag(run.get("eval_on_start")):
        return {}
    batch = used.get("per_device_train_batch_size")
    return {"eval_on_start": True, **({"per_device_eval_batch_size": batch} if batch else {})}


def raised(trainer: Any, *, best: bool = False, own_batch: bool = False) -> Error | None:
    """What an evaluation raises; its batch is that of the step, which groups fill, or its own.

    With `best` also what the search for `metric_for_best_model` raises.
    """
    if not own_batch:
        trainer.args.per_device_eval_batch_size = trainer.args.per_device_train_batch_size
    try:
        metrics = trainer.evaluate()
        if best and trainer.args.metric_for_best_model and hasattr(trainer, BEST):
            getattr(trainer, BEST)(metrics=metrics, trial=None)
    except Exception as error:
        return error_answer(error)
    return None
