"""The answer of the probe `data`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .error import Error
from .rows import Labels


@dataclass(frozen=True)
class RowFault:
    """The first row that the trainer's preparation refuses."""

    row: int
    """Its number, from 1."""

    error: Error
    every: bool
    """Whether the last row is refused in the same way."""

    cut: bool = False
    """Whether the row is accepted without `max_length`."""


@dataclass(frozen=True)
class GoldLengths:
    """How many tokens the right answers in the first rows have."""

    column: str
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class DataAnswer:
    """What the real `load_dataset` and the trainer's own preparation make of the run's rows."""

    source: str
    split: str
    not_loaded: Error | None = None
    """What `load_dataset` raised. Then nothing below is known."""

    rows: int | None = None
    """The rows of the training split, None if only the first ones were read."""

    tests: int | None = None
    """The rows for evaluation, None if they are not known."""

    columns: tuple[str, ...] = ()
    nulls: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By column: how many cells are null, and the first row that has one."""

    lacks: str = ""
    """The columns of which the trainer needs one group, if the rows have none of these groups."""

    conversational: bool = False
    prepared: int = 0
    """How many rows the trainer prepared, in `seconds`."""

    not_prepared: str = ""
    """Why the trainer could not be asked to prepare any."""

    seconds: float = 0.0
    fault: RowFault | None = None
    labels: Labels | None = None
    """What the prepared rows train, None for trainers that generate."""

    own_tokenizer: bool = False
    """Whether the rows were prepared with the run's own tokenizer."""

    pad: int | None = None
    """The id of its pad token."""

    script_pads: Literal["never", "where missing", "always"] = "never"
    """When TRL's own script makes the eos token the pad token."""

    gold: GoldLengths | None = None
    """None if no column looks like right answers, or the trainer does not generate."""
