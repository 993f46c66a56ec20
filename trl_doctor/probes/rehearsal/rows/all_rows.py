"""The rows that a rehearsal has cut off, where the script asks for more than the job has."""

from __future__ import annotations

import ast
import functools
import math
import re
import time
from collections.abc import Sized
from typing import Any

from . import origins, put_together

MOST, SECONDS, OFTEN = 20_000, 3.0, 500
"""Rows that are read, the time for them, and rows between two looks at the clock."""

ORDERS = ("shuffle(", "sort(")
"""Steps that leave a data set all its rows."""
SPLIT = re.compile(r"train_test_split\((\[.*?\])")


class AllRows:
    """What was read of, by where it is from."""

    def __init__(self) -> None:
        self._cut: dict[int, Any] = {}
        self._from: dict[tuple[str, str], Any] = {}

    def are_in(self, whole: Any, rows: Any) -> None:
        """Note that `rows` are the first ones of what is read again, or is here as a whole."""
        self._cut[id(rows)] = whole

    def loaded(self, data: Any) -> None:
        """Note where data are from, which one file or folder of this machine has."""
        for rows in data.values() if isinstance(data, dict) else [data]:
            origin = origins.known(rows)
            if origin is not None and id(rows) in self._cut and not origin.steps:
                self._from[origin.source, origin.split] = self._cut[id(rows)]
        self._cut.clear()

    def no_more_than(self, count: int, data: Any) -> Any:
        """What the job has in place of these rows, if that are at most so many; else None."""
        whole, rows = self._whole(data, count)
        return whole.select(range(rows)) if 0 < rows <= count else None

    def count(self, data: Any) -> int | None:
        """How many rows the job has in place of these; None if that is not known."""
        origin = origins.known(data)
        joined = put_together.count(origin.source, self.count) if origin else None
        if origin is None or joined is None:
            return self._whole(data, MOST)[1] or None
        return functools.reduce(after, origin.steps, joined) or None if _is_clear(origin) else None

    def _whole(self, data: Any, count: int) -> tuple[Any, int]:
        """What was loaded, and how many of its rows the job has here; 0 if that is not known."""
        origin = origins.known(data)
        if origin is None or not _is_clear(origin):
            return None, 0
        whole: Any = self._from.get((origin.source, origin.split))
        if whole is not None and not isinstance(whole, Sized):
            kept = all(step.call.startswith(ORDERS) for step in origin.steps)
            most = count if kept and count < MOST else MOST
            whole = _at_most(most, whole)
            if whole is not None or most == MOST:  # it is not read a second time
                self._from[origin.source, origin.split] = whole
        return whole, 0 if whole is None else functools.reduce(after, origin.steps, len(whole))


def _is_clear(origin: origins.Origin) -> bool:
    """Whether the rows can be counted: what takes several at once may give more, or fewer."""
    return all(step.call for step in origin.steps) and origins.SEVERAL.isdisjoint(origin.maps)


def after(rows: int, step: origins.Step) -> int:
    """How many of so many rows a step leaves; 0 if that is not known."""
    if step.call.startswith(ORDERS):
        return rows
    if step.call.startswith("select(") and isinstance(step.rows, range):
        return len(step.rows) if step.rows and max(step.rows) < rows else 0
    if match := SPLIT.match(step.call):
        *given, test, train = ast.literal_eval(match[1])
        test, train = [*given, *[test, train][len(given) :]][:2]
        return _shares(rows, test, train).get(step.part, 0)
    return 0


def _shares(rows: int, test: float | None, train: float | None) -> dict[str, int]:
    """The numbers of rows of the two parts, as `train_test_split` counts them."""
    test = 0.25 if test is None and train is None else test
    tested = math.ceil(test * rows) if isinstance(test, float) else test
    trained = int(train * rows) if isinstance(train, float) else train
    tested = rows - (trained or 0) if tested is None else tested
    return {"test": tested, "train": rows - tested if trained is None else trained}


def _at_most(count: int, stream: Any) -> Any:
    """All rows of a stream; None if these are more, or take too long."""
    from datasets import Dataset

    begun, rows = time.monotonic(), list[Any]()
    for row in stream:
        rows.append(row)
        late = len(rows) % OFTEN == 0 and time.monotonic() > begun + SECONDS
        if late or len(rows) > count:
            return None
    return Dataset.from_list(rows, features=stream.features)
