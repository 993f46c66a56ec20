"""Replaces functions of libraries; the replacements act only while a rehearsal runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

MARK = "__trl_doctor__"

Around = Callable[..., Any]
"""Called with the original and the caller's arguments."""

_running = False


def begin() -> None:
    """A rehearsal runs from now on in this process."""
    global _running
    _running = True


def running() -> bool:
    """Whether a rehearsal runs: a process that only imports the libraries must not be changed."""
    return _running


def around(owner: Any, name: str, call: Around) -> None:
    """Replace a function, method or class method by `call(original, *given)`; once."""
    held = vars(owner).get(name)
    if held is None or getattr(held, MARK, False):
        return
    bound = isinstance(held, (classmethod, staticmethod))
    original = held.__func__ if isinstance(held, (classmethod, staticmethod)) else held
    if getattr(original, MARK, False):
        return

    @functools.wraps(original)
    def replaced(*given: Any, **more: Any) -> Any:
        return call(original, *given, **more) if _running else original(*given, **more)

    setattr(replaced, MARK, True)
    setattr(owner, name, type(held)(replaced) if bound else replaced)


def each(owner: Any, names: tuple[str, ...], call: Around) -> None:
    """The same for several names, as far as they are there."""
    for name in names:
        around(owner, name, call)
