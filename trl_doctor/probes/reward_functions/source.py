"""What the code of a reward function shows: where it is, and what it names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any


def bare(function: Any) -> Any:
    """The code behind a partial, a decorator or an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    return function if hasattr(function, "__code__") else vars(type(function)).get("__call__")


def where(function: Any) -> tuple[str, int]:
    """File and line of the function; "" and 0 if it has no code."""
    code = getattr(bare(function), "__code__", None)
    return ("", 0) if code is None else (code.co_filename, code.co_firstlineno)


def reads(function: Any, gold: str | None) -> bool:
    """Whether it names the column of the gold answer: as a parameter, or as a key."""
    code = getattr(bare(function), "__code__", None)
    return code is not None and bool(gold in (*code.co_varnames, *code.co_consts))


def takes(function: Any, columns: Iterable[str]) -> tuple[str, ...]:
    """The columns that it names: as a parameter, or as a key."""
    return tuple(column for column in columns if reads(function, column))
