"""Metrics of the script's own that need as many rows as the job evaluates."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sized
from typing import Any

from ...kinds import LIBRARY, package_of

FIELDS = ("predictions", "label_ids", "inputs", "losses")
"""What a metric gets, where it gets it."""

LARGEST = 2**26
"""Numbers of an array that is repeated, at most."""


def completed(trainer: Any, rows: Any) -> None:
    """Let a metric that fails on few rows have as many as these, which the script evaluates.

    It may compare them with answers that it has kept, one by one: those of all rows.
    """
    metrics = getattr(trainer, "compute_metrics", None)
    if not callable(metrics) or package_of(metrics) in LIBRARY:
        return
    if not isinstance(rows, Sized) or isinstance(rows, dict):
        return
    count = len(rows)

    @functools.wraps(metrics)
    def of_all(prediction: Any, *args: Any, **more: Any) -> Any:
        try:
            return metrics(prediction, *args, **more)
        except Exception:
            with contextlib.suppress(Exception):
                return metrics(_repeated(prediction, count), *args, **more)
            raise

    of_all.__name__ = str(getattr(metrics, "__name__", type(metrics).__name__))
    trainer.compute_metrics = of_all


def _repeated(prediction: Any, count: int) -> Any:
    """The same with so many rows: the first ones once more, as often as it takes."""
    fields = {name: getattr(prediction, name, None) for name in FIELDS}
    given = {name: _rows(value, count) for name, value in fields.items() if value is not None}
    return type(prediction)(**given)


def _rows(value: Any, count: int) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_rows(part, count) for part in value)
    if isinstance(value, dict):
        return {name: _rows(part, count) for name, part in value.items()}
    if len(value) >= count or value[:1].size * count > LARGEST:
        raise ValueError("all rows are here, or they are too large")
    return value[[at % len(value) for at in range(count)]]
