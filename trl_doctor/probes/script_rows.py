"""The rows that a script makes: the statements that make them are run, and nothing else of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

from .alone.script_part import made
from .answers.script_rows import ScriptRows
from .first_rows import LARGEST, plain
from .refusal import Refused


def answer(request: dict[str, Any]) -> ScriptRows:
    """The first rows; raises what the script's own statements raise, or `Refused`."""
    _simply()
    return made(request["script"], request["roots"], lambda given: _rows(given, request["most"]))


def _simply() -> None:
    """The library keeps nothing, and prepares rows in this process."""
    import datasets

    datasets.disable_caching()
    for kind in (datasets.Dataset, datasets.DatasetDict):
        for name in ("map", "filter"):
            setattr(kind, name, _in_one_process(getattr(kind, name)))


def _in_one_process(method: Any) -> Any:
    def called(*values: Any, **named: Any) -> Any:
        named.pop("num_proc", None)
        return method(*values, **named)

    return called


def _rows(given: Any, most: int) -> ScriptRows:
    """The first rows of a data set, or of what is read like one, and how many it has."""
    if isinstance(given, dict):
        raise Refused("the trainer gets a dictionary of data sets")
    total = len(given) if hasattr(given, "__len__") else None
    if hasattr(given, "with_format") and dict(getattr(given, "format", {})).get("type") != "custom":
        given = given.with_format(None)  # numbers and not tensors; a transform makes the rows
    first = iter(given) if total is None else (given[at] for at in range(min(most, total)))
    rows, size = list[dict[str, Any]](), 0
    for row in itertools.islice(map(_row, first), most):
        size += len(json.dumps(row))
        if rows and size > LARGEST:
            break
        rows.append(row)
    if not rows:
        raise ValueError("they give no rows")
    return ScriptRows(tuple(rows), total)


def _row(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise Refused(f"a row is no dictionary but of {type(row).__name__}")
    return {str(name): _cell(cell) for name, cell in row.items()}


def _cell(cell: Any) -> Any:
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if type(cell).__module__.startswith("PIL"):
        raise Refused("the rows have images")
    return plain(cell)
