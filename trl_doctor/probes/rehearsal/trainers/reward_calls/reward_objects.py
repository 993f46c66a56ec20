"""What the script gives a trainer for a reward function, and what takes its place to watch it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from ....reward_functions.source import call_of

NAMES = "get_callable_name"
"""The function of newer releases of TRL that names objects without a name of their own."""


def is_function(given: Any) -> bool:
    """Whether TRL calls it: a function, or an object that has a name, or gets one, and no weights.

    Older releases refuse objects without a name: their own error says so.
    """
    if inspect.isroutine(given):
        return True
    if not callable(given) or isinstance(given, type) or hasattr(given, "parameters"):
        return False
    return hasattr(given, "__name__") or hasattr(sys.modules.get("trl.trainer.utils"), NAMES)


def is_async(given: Any) -> bool:
    """Whether a call of it has to be awaited."""
    while isinstance(given, functools.partial):
        given = given.func
    return any(map(inspect.iscoroutinefunction, (given, call_of(type(given)))))


def in_place_of(given: Any, call: Callable[..., Any]) -> Any:
    """What is called instead of a function or an object, and looks like it everywhere else."""
    if hasattr(given, "__name__"):
        return functools.wraps(given, updated=())(call)
    kind = type(type(given).__name__, (_InPlace,), {"__call__": staticmethod(call)})
    return kind(given)


class _InPlace:
    """Has the class of another object, and its attributes."""

    def __init__(self, given: Any) -> None:
        object.__setattr__(self, "__wrapped__", given)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(_given(self))

    def __getattr__(self, name: str) -> Any:
        return getattr(_given(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_given(self), name, value)


def _given(one: Any) -> Any:
    """The object; an error of the usual kind for a copy that has none yet."""
    try:
        return object.__getattribute__(one, "__dict__")["__wrapped__"]
    except KeyError as error:
        raise AttributeError("__wrapped__") from error
