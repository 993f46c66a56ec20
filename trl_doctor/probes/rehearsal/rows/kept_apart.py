"""Whether the way in which rows were chosen keeps those to train and to evaluate on apart."""

from __future__ import annotations

import itertools
from typing import Any

from .compared import one_test
from .origins import ENDLESS, Origin, Step, known

SHARE = 0.05
"""The share of common rows that is not reported: an end that is off by one."""

TESTS = frozenset({"test", "validation", "valid", "val", "eval", "dev"})
"""Names of parts to evaluate on."""


def not_apart(rows: Any, evaluation: Any) -> list[str]:
    """How rows to train and to evaluate on were chosen, if nothing keeps them apart; else empty."""
    learned, tried = known(rows), known(one_test(evaluation))
    if not learned or not tried or learned[:2] != tried[:2]:
        return []
    if not all(step.call for step in (*learned.steps, *tried.steps)):
        return []
    pairs = itertools.zip_longest(learned.steps, tried.steps)
    one, other = next(((one, other) for one, other in pairs if one != other), (None, None))
    if one is None or other is None or _apart(one, other):
        return []
    return [_words(learned), _words(tried)]


def swapped(rows: Any, evaluation: Any) -> list[str]:
    """The parts to train and to evaluate on, where their names say the contrary; else empty."""
    learned, tried = known(rows), known(evaluation)
    if not learned or not tried or learned.source != tried.source:
        return []
    names = [(learned.split, tried.split)]
    names += [(one.part, other.part) for one, other in zip(learned.steps, tried.steps)
              if (one.call, one.number) == (other.call, other.number)]  # fmt: skip
    return next(
        ([one, other] for one, other in names if one in TESTS and other == "train"),
        [],
    )


def _apart(one: Step, other: Step) -> bool:
    """Whether two ways to choose rows of one data set keep them apart, or may do so."""
    few, many = one.rows, other.rows
    if few is None or many is None:
        return (one.call, one.number) == (other.call, other.number)
    if one.part != other.part:  # percent and numbers
        return True
    if isinstance(few, range) and isinstance(many, range) and few.step == many.step == 1:
        common = min(few.stop, many.stop) - max(few.start, many.start)
        return common <= SHARE * min(many.stop - many.start, few.stop - few.start)
    if ENDLESS in (getattr(few, "stop", 0), getattr(many, "stop", 0)):
        return True
    return len({*few} & {*many}) <= SHARE * min(len(few), len(many))


def _words(origin: Origin) -> str:
    return ".".join(step.call for step in origin.steps)
