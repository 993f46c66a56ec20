"""The rows that a script makes: the statements that make them are run, and nothing else of it."""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Mapping
from typing import Any

from .answers.script_rows import ScriptRows
from .first_rows import plain
from .refusal import Refused
from .reward_functions.place import held, place
from .script_part import value_of


def answer(request: dict[str, Any]) -> ScriptRows:
    """The first rows; raises what the script's own statements raise, or `Refused`."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    _simply()
    try:
        with place(request["roots"]):
            given = value_of(request["script"], module.__dict__)
            return ScriptRows(*_rows(given, request["most"]))
    except Exception as error:
        if not isinstance(error, Refused) and held(error):
            raise Refused(f"a probe may do less than the script: {error}") from error
        raise


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


def _rows(given: Any, most: int) -> tuple[tuple[dict[str, Any], ...], int | None]:
    """The first rows of a data set, or of what is read like one, and how many it has."""
    if isinstance(given, dict):
        raise Refused("the trainer gets a dictionary of data sets")
    total = len(given) if hasattr(given, "__len__") else None
    if hasattr(given, "with_format") and dict(getattr(given, "format", {})).get("type") != "custom":
        given = given.with_format(None)  # numbers and not tensors; a transform makes the rows
    if total is None:
        return tuple(map(_row, itertools.islice(given, most))), None
    return tuple(_row(given[number]) for number in range(min(most, total))), total


def _row(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise Refused(f"a row is no dictionary but of {type(row).__name__}")
    return {str(name): _cell(cell) for name, cell in row.items()}


def _cell(cell: Any) -> Any:
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if not isinstance(cell, (str, bool, int, float, list, tuple, dict, type(None))):
        raise Refused(f"a cell is of {type(cell).__name__}")
    return plain(cell)
