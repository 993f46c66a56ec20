"""Sees an evaluation whose loss is nan, and one whose rows were all dropped."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sized
from types import ModuleType
from typing import Any

from .. import patching
from ..record import Record, rank
from ..where import here

COUNTED = 8
"""Batches in which rows are counted."""


def watch(module: ModuleType, record: Record) -> None:
    """Report what `Trainer.evaluate` returns no loss for; `module` is `transformers.trainer`."""
    reported = set[str]()

    def report(what: str, *words: str) -> None:
        if words[0] not in reported and not rank():
            reported.add(words[0])
            record.add("mistake", what=what, words=words, at=here())

    def evaluate(original: Any, trainer: Any, *args: Any, **more: Any) -> Any:
        metrics = original(trainer, *args, **more)
        rows = args[0] if args else more.get("eval_dataset")
        for name in _nan_losses(metrics):
            report("evaluation is nan", name, _empty(trainer, rows))
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


def _empty(trainer: Any, rows: Any) -> str:
    """How many of the first rows have no label, as the rest of a sentence; "" if none is seen."""
    try:
        batches = itertools.islice(trainer.get_eval_dataloader(rows), COUNTED)
        learned = [bool((row != -100).any()) for batch in batches for row in batch["labels"]]
    except Exception:  # a trainer of another kind
        return ""
    empty = learned.count(False)
    return f": {empty} of the first {len(learned)} rows have no token to learn" if empty else ""
