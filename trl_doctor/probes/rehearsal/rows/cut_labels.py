"""Rows with one label alone, of a source that has others: sorted by the label, and cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..record import Mistake
from . import origins
from .origins import MAPS, Origin
from .sources import Row, rows_of_file

FEWEST, MOST = 4, 20_000
"""Rows that are judged, and rows of a file that are read."""

INSIDE, TRIED = 256, 24
"""Rows that are taken and others, at least, whose labels are made."""

PREFERENCES = frozenset({"KTOConfig", "BCOConfig"})
"""Configs of TRL's trainers that learn from a label."""


def cut_labels(arguments: dict[str, Any], *, whole: bool) -> Iterator[Mistake]:
    """Rows that a trainer learns from without another label, though their source has one.

    `whole` says that the trainer gets all rows of the run.
    """
    rows: Any = arguments.get("train_dataset")
    evaluation: Any = arguments.get("eval_dataset")
    column = _column(arguments, rows)
    if not column or len(rows) < FEWEST:
        return
    learned = _values(rows, column)
    if len(learned) == 1 and (cut := _cut(origins.known(rows), column, learned)):
        yield Mistake("labels cut", [str(*learned), *cut])
    elif whole and learned and column in (getattr(evaluation, "column_names", None) or ()):
        tried = _values(evaluation, column)
        few = len(evaluation) < FEWEST or len(learned) > len(rows) / 2
        if tried and not few and tried.isdisjoint(learned):
            words = [_listed(learned), _listed(tried)]
            yield Mistake("labels apart", words)


def _column(arguments: dict[str, Any], rows: Any) -> str:
    """The column that the trainer takes for the label of a row; "" if it takes none."""
    columns = getattr(rows, "column_names", None)
    if not isinstance(columns, list) or not hasattr(rows, "__len__"):
        return ""
    kinds = type(arguments.get("args")).mro()
    if PREFERENCES.isdisjoint(kind.__name__ for kind in kinds):
        of_trl = any(kind.__module__.startswith("trl.") for kind in kinds)
        classes = type(arguments.get("model")).__name__.endswith("ForSequenceClassification")
        if of_trl or not classes:
            return ""
    return next((name for name in ("labels", "label") if name in columns), "")


def _values(rows: Any, column: str) -> set[Any]:
    """The labels of rows; none where they are no classes."""
    cells = list(itertools.islice(rows[column], MOST))
    return set(cells) if all(isinstance(cell, (bool, int, str)) for cell in cells) else set()


def _cut(origin: Origin | None, column: str, learned: set[Any]) -> list[str]:
    """How the rows were taken of a file, and its name, if it has rows of other labels."""
    if origin is None or len(origin.steps) != 1 or not origin.file:
        return []
    (step,) = origin.steps
    taken = step.rows
    if not isinstance(taken, range) or taken.step != 1 or step.part:
        return []
    try:
        every = list(itertools.islice(rows_of_file(Path(origin.file)), MOST))
        others = [row for number, row in enumerate(every) if number not in taken]
        labels = _labels(every[taken.start : taken.stop], INSIDE, origin, column)
        if labels == learned and _labels(others, TRIED, origin, column) - learned:
            return [step.call, Path(origin.file).name]
    except Exception:  # rows, or functions, of another kind
        return []
    return []


def _labels(rows: list[Row], most: int, origin: Origin, column: str) -> set[Any]:
    """The labels of rows that lie at equal distances."""
    some = rows[:: max(1, len(rows) // most)]
    return {_label(dict(row), origin, column) for row in some}


def _label(row: dict[str, Any], origin: Origin, column: str) -> Any:
    """The label of a row of the file, as the script's own functions make it."""
    for number in origin.maps:
        change = MAPS[number]
        if change is None:
            raise ValueError("it needs more than a row")
        row |= change(row) or {}
    return row[column]


def _listed(values: set[Any]) -> str:
    return ", ".join(sorted(map(str, values))[:4])
