"""Parts of parts: whether the rows to train on are the share of all rows that the script names."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from ..record import Mistake, Record
from ..where import called_by_user, is_own

NAME = re.compile(
    r"(?:(?P<train>train)|val|valid|dev|eval|test|held)\w*"
    r"_(?:ratio|frac|fraction|share|split|percent|pct|prop|proportion|size)$",
    re.IGNORECASE,
)
"""The name of the share of the rows for one purpose."""

CLOSE = 0.02
"""By how much a share may differ from the number that is named."""

MOST = 64
"""Parts that are remembered."""


class Shares:
    """The share of all rows that parts to train on have, by the numbers that they were split."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._parts: list[tuple[Any, float]] = []

    def split(self, parts: Any, data: Any, sizes: list[Any], more: dict[str, Any]) -> None:
        """Note the parts of `train_test_split`."""
        at = called_by_user()
        with contextlib.suppress(Exception):  # sizes of another kind
            test = _share({**dict(zip(("test_size", "train_size"), sizes)), **more})
            whole = next((share for part, share in self._parts if part is data), 1.0)
            share = whole * (1 - test)
            self._parts = [*self._parts, (parts["train"], share)][-MOST:]
            words = _other(share, whole, test) if at and whole < 1 else None
            if words:
                self.record.mistake(Mistake("share of a part", words, at))


def _share(given: dict[str, Any]) -> float:
    """The share of the rows to test on; raises TypeError where they are counted."""
    test, train = given.get("test_size"), given.get("train_size")
    if isinstance(test, float) and train is None:
        return test
    if isinstance(train, float) and test is None:
        return 1 - train
    raise TypeError(test)


def _other(share: float, whole: float, test: float) -> list[str] | None:
    """The name and the number of another share of rows to train on, and what it is here.

    None if a number is used here as it is named: it may be meant for this part. None too if no
    named number was used for the first split: that one may be a sample.
    """
    named = dict(_named())
    if _is_one(test, named.values()) or not _is_one(whole, named.values()):
        return None
    for name, value in named.items():
        match = NAME.match(name)
        if match and match["train"] and abs(value - share) > CLOSE:
            return [name, f"{value:g}", f"{share:.2f}"]
    return None


def _is_one(share: float, named: Iterable[float]) -> bool:
    return any(min(abs(value - share), abs(1 - value - share)) < 1e-9 for value in named)


def _named() -> Iterator[tuple[str, float]]:
    """The shares that have names where the script's own code splits."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    for name, value in ({**frame.f_globals, **frame.f_locals} if frame else {}).items():
        if type(value) is float and 0 < value < 1 and NAME.match(name):
            yield name, value
