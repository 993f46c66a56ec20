"""Whether a function of `map` makes a row from other rows of its batch."""

from __future__ import annotations

from typing import Any

TRIED = (1, 2)
"""The rows of a batch, from 0, that are given to the function alone."""


def mixed(original: Any, data: Any, given: Any, more: dict[str, Any], result: Any) -> str | None:
    """A column of texts that a row has otherwise if the function gets this row alone.

    None if there is none, or the function gives one row different texts each time.
    """
    if len(given) > 1 or not more.get("batched") or more.get("with_indices"):
        return None
    if more.get("with_rank") or len(result) != len(data) or len(data) <= TRIED[-1]:
        return None
    options = {**more, "load_from_cache_file": False, "num_proc": None, "desc": None}
    for row in TRIED:
        alone, again = (original(data.select([row]), *given, **options) for _ in range(2))
        if len(alone) != 1 or len(again) != 1:
            return None
        here, there, expected = alone[0], again[0], result[row]
        for name, value in expected.items():
            if name in data.column_names or not _is_text(value) or here.get(name) != there[name]:
                continue
            if here[name] != value:
                return str(name)
    return None


def _is_text(value: Any) -> bool:
    """Whether it is a text or messages: token ids are padded to the longest row of a batch."""
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    )
