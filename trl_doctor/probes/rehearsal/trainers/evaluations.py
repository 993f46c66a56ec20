"""Evaluates once, as the job does; sees a loss that is nan, and rows that were all dropped."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sized
from types import ModuleType
from typing import Any

from ...watching import evaluation
from .. import patching
from ..record import Mistake, Record, rank, world
from ..rows.data import Data
from ..where import here, is_own
from .configs import EVALUATES, own_of
from .own_state import untouched

COUNTED = 8
"""Batches in which rows are counted."""

EVALUATED = 2
"""Rows of an evaluation, for each process."""

SIZE, USUAL = "per_device_eval_batch_size", 8
"""The argument with the rows that are evaluated at once, and its default."""

Raised = Callable[[], "dict[str, Any] | None"]
"""Evaluates, the first time that it is called; returns what the evaluation raised."""


def raised(trainer: Any, data: Data) -> dict[str, Any] | None:
    """What one evaluation raises, where the script's own rows are evaluated while it trains."""
    evaluates = getattr(trainer.args, EVALUATES, False) and not data.made
    inner = getattr(type(trainer).train, "__module__", "").startswith("transformers.")
    if not evaluates or not inner or getattr(trainer, "eval_dataset", None) is None:
        return None
    rows: Any = trainer.eval_dataset
    if _drops_all(trainer, data.count(rows)):
        error = _raised(trainer)
        return dataclasses.asdict(error) if error else None
    few = data.cut(copy.copy(rows) if isinstance(rows, dict) else rows, EVALUATED * world())
    trainer.eval_dataset = few
    error = _raised(trainer)
    if error and any(is_own(file) for file, *_ in error.frames):
        trainer.eval_dataset = rows  # the script's code may need more of them
        error = _raised(trainer)
    return dataclasses.asdict(error) if error else None


def _drops_all(trainer: Any, count: int | None) -> bool:
    """Whether the run drops its only batch to evaluate on; then this one is as large."""
    own = own_of(trainer.args)
    size = own.get(SIZE, USUAL)
    drops = getattr(trainer.args, "dataloader_drop_last", False) and world() == 1
    if not (drops and count and isinstance(size, int) and count < size):
        return False
    trainer.args.per_device_eval_batch_size = size
    if own.get("load_best_model_at_end") and not trainer.args.metric_for_best_model:
        trainer.args.metric_for_best_model = "loss"  # as the config says where it is not cut
    return True


def _raised(trainer: Any) -> Any:
    """The same for the rows that it has now."""
    with untouched(trainer):
        return evaluation.raised(trainer, best=True, own_batch=_has_own_batch(trainer))


def _has_own_batch(trainer: Any) -> bool:
    """Whether a rehearsal has kept the number of rows that an evaluation takes at once."""
    own = own_of(trainer.args)
    return bool(trainer.args.per_device_eval_batch_size == own.get(SIZE, USUAL))


def watch(module: ModuleType, record: Record) -> None:
    """Report what `Trainer.evaluate` returns no loss for; `module` is `transformers.trainer`."""
    reported = set[str]()

    def report(what: str, *words: str) -> None:
        if words[0] not in reported and not rank():
            reported.add(words[0])
            record.mistake(Mistake(what, words, here()))

    def evaluate(original: Any, trainer: Any, *args: Any, **more: Any) -> Any:
        metrics = original(trainer, *args, **more)
        rows = args[0] if args else more.get("eval_dataset")
        for name in _nan_losses(metrics):
            report("evaluation is nan", name, _empty(trainer, rows))
        if _lacks_loss(trainer, rows, metrics):
            report("evaluation has no loss", type(trainer.model).__name__)
        if rows is None and isinstance(own := trainer.eval_dataset, Sized) and not len(own):
            report("evaluation of no rows", type(trainer).__name__)
        return metrics

    patching.around(module.Trainer, "evaluate", evaluate)


def _nan_losses(metrics: Any) -> list[str]:
    values = metrics.items() if isinstance(metrics, Mapping) else ()
    return [
        str(name)
        for name, value in values
        if str(name).endswith("loss") and isinstance(value, float) and math.isnan(value)
    ]


def _lacks_loss(trainer: Any, rows: Any, metrics: Any) -> bool:
    """Whether a batch has labels, and transformers has not found out that the model needs them.

    It reads the arguments of `forward`, which an adapter without `task_type` does not name.
    """
    known = getattr(trainer, "label_names", True) or getattr(trainer, "can_return_loss", True)
    if known or not isinstance(metrics, Mapping) or any("loss" in str(name) for name in metrics):
        return False
    try:
        return "labels" in next(iter(trainer.get_eval_dataloader(rows)))
    except Exception:  # a trainer of another kind
        return False


def _empty(trainer: Any, rows: Any) -> str:
    """How many of the first rows have no label, as the rest of a sentence; "" if none is seen."""
    try:
        batches = itertools.islice(trainer.get_eval_dataloader(rows), COUNTED)
        learned = [bool((row != -100).any()) for batch in batches for row in batch["labels"]]
    except Exception:  # a trainer of another kind
        return ""
    empty = learned.count(False)
    return f": {empty} of the first {len(learned)} rows have no token to learn" if empty else ""
