"""The answer of the probe `data`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .error import Error
from .step import Labels


@dataclass(frozen=True)
class RowFault:
    """The first row, counted from 1, that the trainer's preparation refuses, and with what.

    `every` means that the last row is refused in the same way, `cut` that it is taken without
    max_length.
    """

    row: int
    error: Error
    every: bool
    cut: bool = False


@dataclass(frozen=True)
class GoldLengths:
    """How many tokens the right answers in the first rows of `column` have."""

    column: str
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class DataAnswer:
    """What the real `load_dataset` and the trainer's own preparation make of the run's rows.

    `not_loaded` is what was raised before there were rows: then the rest is empty. `rows` are those
    of the training `split`, None if only the first were read; `tests` are those for evaluation,
    None where they are not known. `nulls` are, by column, how many
    cells are null and the first row of them. `lacks` are the columns of which the trainer needs one
    group, if it has none of them. `prepared` rows went through the preparation, in `seconds`;
    `not_prepared` is why the trainer could not be asked to prepare any. `labels` are what came out,
    None for trainers that generate. `own_tokenizer` says that it was the run's, `pad` is its pad
    id, `script_pads` as in `StepAnswer`. `gold` is None if no column looks like right answers,
    or the trainer does not generate.
    """

    source: str
    split: str
    not_loaded: Error | None = None
    rows: int | None = None
    tests: int | None = None
    columns: tuple[str, ...] = ()
    nulls: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lacks: str = ""
    conversational: bool = False
    prepared: int = 0
    not_prepared: str = ""
    seconds: float = 0.0
    fault: RowFault | None = None
    labels: Labels | None = None
    own_tokenizer: bool = False
    pad: int | None = None
    script_pads: Literal["never", "where missing", "always"] = "never"
    gold: GoldLengths | None = None
