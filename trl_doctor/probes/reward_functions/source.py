"""What the code of a reward function shows: where it is, and what it names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from .unused import unused

DEEPEST = 16
"""Partials and decorators around a function; an object may claim to have any attribute."""


def inner(function: Any) -> Any:
    """What a partial or a decorator calls in the end: a function, or an object."""
    for _ in range(DEEPEST):
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    return function


def bare(function: Any) -> Any:
    """The code behind a partial, a decorator, a method or an object that can be called."""
    function = inner(function)
    if not hasattr(function, "__code__"):
        function = call_of(type(function)) or function
    return getattr(function, "__func__", function)


def call_of(kind: type) -> Any:
    """The code that runs where an object of this class is called; None without any."""
    return inner(inspect.getattr_static(kind, "__call__", None))


def name_of(function: Any) -> str:
    """Its name, as newer releases of TRL log it: that of an object is its class's."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def holder(function: Any) -> Any:
    """The object whose code it is; None for a function that belongs to none."""
    function = inner(function)
    if hasattr(function, "__code__"):
        return getattr(function, "__self__", None)
    return function


def methods(function: Any) -> Iterator[FunctionType]:
    """The methods of its object that its code names, and those that they name."""
    own, waiting = holder(function), [bare(function)]
    seen: list[Any] = []
    while own is not None and waiting:
        for code in codes(getattr(waiting.pop(0), "__code__", None)):
            for name in code.co_names:
                method = inner(getattr(type(own), name, None))
                if isinstance(method, FunctionType) and method not in seen:
                    seen.append(method)
                    waiting.append(method)
                    yield method


def codes(code: CodeType | None) -> Iterator[CodeType]:
    """The code of a function and of what is written inside it."""
    if code is not None:
        yield code
        for inside in code.co_consts:
            if isinstance(inside, CodeType):
                yield from codes(inside)


def where(function: Any) -> tuple[str, int]:
    """File and line of the function; "" and 0 if it has no code."""
    code = getattr(bare(function), "__code__", None)
    return ("", 0) if code is None else (code.co_filename, code.co_firstlineno)


def reads(function: Any, gold: str | None) -> bool:
    """Whether it names the column of the gold answer: as a parameter, or as a key.

    A parameter of another method of its object may be anything, and one that it does not look at
    is not read.
    """
    code = getattr(bare(function), "__code__", None)
    if code is None or (gold and unused(bare(function), gold)):
        return False
    of_methods = (method.__code__.co_consts for method in methods(function))
    return any(gold in names for names in (code.co_varnames, code.co_consts, *of_methods))


def takes(function: Any, columns: Iterable[str]) -> tuple[str, ...]:
    """The columns that it names: as a parameter, or as a key."""
    return tuple(column for column in columns if reads(function, column))
