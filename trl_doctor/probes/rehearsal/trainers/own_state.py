"""Takes back what our own calls of the script's functions leave behind in its lists and counters.

A rehearsal calls reward functions, collators and metrics more often than the run does. A script
that counts these calls must not see ours.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..where import is_own, own_modules

PLAIN = (bool, int, float, complex, str, bytes, tuple, type(None))
MOST, DEPTH = 100_000, 3
"""The most entries of a list that is copied, and how deep lists in lists and objects are copied."""

Undo = Callable[[], None]


@contextlib.contextmanager
def untouched(trainer: Any) -> Iterator[None]:
    """What happens while this lasts changes no list, dictionary, set or number of the script's."""
    undo: list[Undo] = []
    with contextlib.suppress(Exception):
        seen = set[int]()
        for holder, names in _holders(trainer):
            with contextlib.suppress(Exception):  # an object that does not show what it has
                undo += _of(holder, names, seen, DEPTH)
    try:
        yield
    finally:
        for back in undo:
            with contextlib.suppress(Exception):
                back()


def _holders(trainer: Any) -> Iterator[tuple[Any, set[str] | None]]:
    """What may hold state of the script's own, and the names that count; None for all."""
    for name in {"__main__": "", **own_modules()}:
        yield sys.modules[name], None
    yield trainer, _own_names(type(trainer))
    functions = getattr(trainer, "reward_funcs", None) or ()
    callbacks = getattr(getattr(trainer, "callback_handler", None), "callbacks", ())
    given = (getattr(trainer, name, None) for name in ("data_collator", "compute_metrics"))
    for one in (*functions, *callbacks, *given):
        yield from _with_closures(one)


def _with_closures(function: Any) -> Iterator[tuple[Any, None]]:
    """An object of the script's own, and what a function of its own has around it."""
    bare = getattr(function, "__wrapped__", function)
    bound = getattr(bare, "__self__", bare)
    if _is_of_script(bound):
        yield bound, None
    for cell in getattr(bare, "__closure__", None) or ():
        yield cell, None


def _own_names(kind: type) -> set[str]:
    """What the script's own classes among those of a trainer name in their functions."""
    codes = [getattr(value, "__code__", None) for own in kind.__mro__ if _is_of_script(own)
             for value in vars(own).values()]  # fmt: skip
    return {name for code in codes if code is not None for name in code.co_names}


def _is_of_script(one: Any) -> bool:
    """Whether it is an object or a class that the script has made, and no model."""
    return _is_own_module(getattr(one, "__module__", None) or "") and not hasattr(one, "parameters")


def _is_own_module(name: str) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None)
    return name == "__main__" or (isinstance(file, str) and is_own(file))


def _of(holder: Any, names: set[str] | None, seen: set[int], depth: int) -> Iterable[Undo]:
    """What brings the attributes of an object back, or the contents of a cell."""
    if id(holder) in seen or depth < 0:
        return
    seen.add(id(holder))
    if type(holder).__name__ == "cell":
        attributes = {"cell_contents": holder.cell_contents}
    else:
        attributes = _attributes(holder)
    for name, value in attributes.items():
        if name.startswith("__") or (names is not None and name not in names):
            continue
        if isinstance(value, PLAIN):
            yield lambda name=name, value=value: setattr(holder, name, value)  # type: ignore[misc]
        else:
            yield from _contents(value, seen, depth)


def _attributes(holder: Any) -> dict[str, Any]:
    """Those of an object, also where its class names them in `__slots__`."""
    slots = [name for kind in type(holder).__mro__ for name in vars(kind).get("__slots__", ())]
    own = {name: getattr(holder, name) for name in slots if hasattr(holder, name)}
    return {**own, **getattr(holder, "__dict__", {})}


def _contents(value: Any, seen: set[int], depth: int) -> Iterable[Undo]:
    """What brings the entries of a list back, or the attributes of an object of the script's."""
    if depth < 0:
        return
    if not isinstance(value, (list, dict, set, deque)):
        if _is_of_script(value):
            yield from _of(value, None, seen, depth - 1)
        return
    if id(value) in seen or len(value) > MOST:
        return
    seen.add(id(value))
    before = list(value.items()) if isinstance(value, dict) else list(value)
    yield lambda: _refilled(value, before)
    for inner in value.values() if isinstance(value, dict) else before:
        if not isinstance(inner, PLAIN):
            yield from _contents(inner, seen, depth - 1)


def _refilled(value: Any, before: list[Any]) -> None:
    """Give a list, dictionary or set the entries that it had."""
    now = list(value.items()) if isinstance(value, dict) else list(value)
    if len(now) == len(before) and all(a is b for a, b in zip(now, before)):
        return
    value.clear()
    if isinstance(value, dict):
        for key, entry in before:
            value[key] = entry
    else:
        (value.update if isinstance(value, set) else value.extend)(before)
