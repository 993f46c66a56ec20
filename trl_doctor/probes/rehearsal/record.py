"""What a rehearsed process tells the doctor: a line of JSON for each thing that happened."""

from __future__ import annotations

import enum
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .order import Order

JOB = "TRL_DOCTOR_JOB_PROCESSES"
"""The variable with the number of processes that the launcher was asked for."""

LONGEST = 2000
"""The most characters of a text that are reported."""

MOST = 64
"""The most entries of a list that are reported."""

MOST_TRAINERS = 16
"""The most trainers of one script that are examined."""


class Mistake(NamedTuple):
    """A mistake of the script: `what` it is, for the rule that words it, and the `words` for it.

    `at` is the user's line, None where it is that of the trainer or the training.
    """

    what: str
    words: Sequence[str] = ()
    at: Any = None


class Record:
    """Lines in a file of this process's own, written at once: the process may be killed.

    `trainer` is the number of the script's trainer that is at work, from 1; 0 while none is.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.trainer = 0
        self._end: int | None = None
        self._process = 0

    def add(self, kind: str, **about: Any) -> None:
        """One of the `events.EVENTS`, with the rank of this process where it has one."""
        if self._end is None or self._process != os.getpid():
            self._process = os.getpid()
            name = self.order.records / f"record-{self._process}.jsonl"
            self._end = os.open(str(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        line = {
            "kind": kind,
            "rank": rank(),
            "time": time.time(),
            "process": self._process,
            "of": self.trainer,
            **{key: as_json(value) for key, value in about.items()},
        }
        os.write(self._end, json.dumps(line).encode() + b"\n")

    def mistake(self, found: Mistake, at: Any = None, **about: Any) -> None:
        """A mistake, at its own line; else at this one."""
        self.add("mistake", what=found.what, words=found.words, at=found.at or at, **about)


def rank() -> int:
    """The number of this process among those of the run."""
    text = os.environ.get("RANK", "0")
    return int(text) if text.isdigit() else 0


def world() -> int:
    """How many processes train."""
    text = os.environ.get("WORLD_SIZE", "1")
    return int(text) if text.isdigit() else 1


def of_the_job() -> int:
    """How many processes train in the job, where a launcher says it; else as many as here."""
    text = os.environ.get(JOB, "")
    return int(text) if text.isdigit() else world()


def as_json(value: Any, depth: int = 0) -> Any:
    """A value as JSON; what has no JSON is named by its type."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, enum.Enum):  # of texts too: `str` of those names the class
        return as_json(value.value, depth + 1)
    if isinstance(value, str):
        return str(value)[:LONGEST]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping) and depth < 6:
        return {str(key)[:LONGEST]: as_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)) and depth < 6:
        return [as_json(item, depth + 1) for item in list(value)[:MOST]]
    if type(value).__name__ == "dtype":
        return str(value).rpartition(".")[2]
    inner = getattr(value, "value", None)
    if isinstance(inner, str):  # a text of an enumeration
        return inner
    return {"type": type(value).__name__}
