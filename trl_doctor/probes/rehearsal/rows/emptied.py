"""A function of a batched `map` that empties a column: datasets then drops the batch's rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BATCH = 1000
"""The rows of a batch, where a script says nothing else."""


def emptied(data: Any, args: Any, more: dict[str, Any], result: Any) -> list[str] | None:
    """The column that is emptied, another one that is not, and how many rows are lost, of how many.

    An empty list is taken for a batch without rows if it is the first column; datasets refuses it
    in any other place.
    """
    function = args[0] if args else more.get("function")
    others = ("input_columns", "with_indices", "with_rank", "fn_kwargs", "remove_columns")
    plain = len(args) < 2 and not any(more.get(name) for name in others)
    if not more.get("batched") or len(result) >= len(data) or not plain:
        return None
    made = None if function is None else function(data[: more.get("batch_size") or BATCH])
    if not isinstance(made, Mapping):
        return None
    empty = [name for name in made if name in data.column_names and len(made[name]) == 0]
    full = [name for name in made if len(made[name]) > 0]
    if not empty or not full:
        return None
    return [str(empty[0]), str(full[0]), str(len(data) - len(result)), str(len(data))]
