"""Compares what a script gives its trainer: rows to learn and evaluate on, schedule, steps."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sized
from typing import Any

FIRST, FEW = 4096, 2
"""Rows that are compared at most, and those to evaluate on at least."""

LEARNED = frozenset({
    "prompt", "completion", "chosen", "rejected", "messages", "conversations", "text", "question",
    "answer", "instruction", "input", "output", "response", "query", "input_ids", "label", "labels",
})  # fmt: skip
"""Columns that rows are learned from: those that differ only in others are the same rows."""

STREAMED = 64
"""Rows of a stream that are compared at most: each is read for it."""

MARKED = 64
"""Rows that are compared with those of other processes."""

MOST_STEPS = 200_000
"""Steps of the longest run whose schedule is followed."""

LATE = 0.5
"""The share of the learning rate that a run should not end with."""

NEVER = 1e-3
"""The share of the learning rate up to which nothing is learned."""


def repeated(rows: Any, evaluation: Any) -> tuple[int, int] | None:
    """How many rows to evaluate on are also learned from, and of how many; None if unknown."""
    evaluation = one_test(evaluation)
    if not (_can_be_read_twice(rows) and _can_be_read_twice(evaluation)):
        return None
    try:
        names = _common(rows, evaluation)
        texts = set(_texts(rows, names))
        tried = list(_texts(evaluation, names))
    except Exception:
        return None
    return (sum(text in texts for text in tried), len(tried)) if len(tried) >= FEW else None


def _can_be_read_twice(rows: Any) -> bool:
    return isinstance(rows, Sized) or type(rows).__name__ == "IterableDataset"


def one_test(evaluation: Any) -> Any:
    """The rows to evaluate on; None where a dictionary has several, or only those learned from."""
    if not isinstance(evaluation, dict):
        return evaluation
    parts = [part for name, part in evaluation.items() if "train" not in str(name)]
    return parts[0] if len(parts) == 1 else None


def _common(rows: Any, evaluation: Any) -> frozenset[str] | None:
    """The columns that both have, where the others hold nothing to learn; None for all columns."""
    one, other = (getattr(each, "column_names", None) for each in (rows, evaluation))
    if not isinstance(one, list) or not isinstance(other, list):
        return None
    common = frozenset(one) & frozenset(other)
    apart = (frozenset(one) | frozenset(other)) - common
    return common if common & LEARNED and not apart & LEARNED else None


def first_rows(rows: Any) -> Iterator[dict[str, Any]]:
    """The rows that are compared."""
    return itertools.islice(iter(rows), FIRST)


def _texts(rows: Any, names: frozenset[str] | None = None) -> Iterator[str]:
    most = FIRST if isinstance(rows, Sized) else STREAMED
    for row in itertools.islice(iter(rows), most):
        yield repr(sorted(item for item in row.items() if names is None or item[0] in names))


def marks(rows: Any) -> list[str] | None:
    """A short mark for each of the first rows; None if they are no rows that can be counted."""
    if not isinstance(rows, Sized) or isinstance(rows, dict):
        return None
    try:
        texts = list(itertools.islice(_texts(rows), MARKED))
    except Exception:
        return None
    return [hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12] for text in texts]


def idle_steps(scheduler: Any, arguments: Mapping[str, Any], rows: Any) -> tuple[int, int] | None:
    """The steps at the end of the run at which a schedule of the script's own is 0, and all steps.

    Of a run of one process that counts its steps from these rows; None if that is not known.
    """
    rates = getattr(scheduler, "lr_lambdas", None)
    steps = _steps(arguments, rows)
    if not rates or not 0 < steps <= MOST_STEPS:
        return None
    try:
        shares = [float(rates[0](step)) for step in range(steps)]
    except Exception:
        return None
    last = max((step for step, share in enumerate(shares) if share > NEVER), default=-1)
    return steps - 1 - last, steps


def late_end(scheduler: Any, arguments: Mapping[str, Any], rows: Any) -> tuple[int, int] | None:
    """The step at which a schedule of the script's own reaches 0, and the steps of the run.

    None unless it is the number of all rows, or of the batches before they are accumulated, and
    the run ends with more than half of the learning rate.
    """
    rates, steps = getattr(scheduler, "lr_lambdas", None), _steps(arguments, rows)
    if not rates or not isinstance(rows, Sized) or not 0 < steps <= MOST_STEPS:
        return None
    epochs, batch = (arguments.get(name, usual) for name, usual in (
        ("num_train_epochs", 3), ("per_device_train_batch_size", 8)))  # fmt: skip
    counted = {int(epochs * part) for part in
               (len(rows), len(rows) // batch, -(-len(rows) // batch))}  # fmt: skip
    for end in sorted(counted):
        try:
            last, there = float(rates[0](steps)), float(rates[0](end))
            before = float(rates[0](end - 1))
        except Exception:
            return None
        if end >= 2 * steps and last > LATE and there <= NEVER < before + NEVER**2:
            return end, steps
    return None


def _steps(arguments: Mapping[str, Any], rows: Any) -> int:
    """The steps of a run, as its config's own arguments say; 0 if they do not."""
    values = [arguments.get(name, usual) for name, usual in (
        ("max_steps", -1), ("num_train_epochs", 3), ("per_device_train_batch_size", 8),
        ("gradient_accumulation_steps", 1))]  # fmt: skip
    if not all(type(value) in (int, float) for value in values):
        return 0
    most, epochs, batch, accumulated = values
    if most > 0:
        return int(most)
    if not isinstance(rows, Sized) or not batch or not accumulated:
        return 0
    return int(epochs * (len(rows) // (batch * accumulated)))
