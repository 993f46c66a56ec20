"""Puts the doctor's own between a caller and a library's function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

MARK = "__trl_doctor__"

Around = Callable[..., Any]
"""Called with the original and what the caller gave."""


def around(owner: Any, name: str, call: Around) -> None:
    """Let `call(original, *given)` answer for a function, method or class method; once."""
    held = vars(owner).get(name)
    if held is None or getattr(held, MARK, False):
        return
    bound = isinstance(held, (classmethod, staticmethod))
    original = held.__func__ if isinstance(held, (classmethod, staticmethod)) else held
    if getattr(original, MARK, False):
        return

    @functools.wraps(original)
    def replaced(*given: Any, **more: Any) -> Any:
        return call(original, *given, **more)

    setattr(replaced, MARK, True)
    setattr(owner, name, type(held)(replaced) if bound else replaced)


def each(owner: Any, names: tuple[str, ...], call: Around) -> None:
    """The same for several names, as far as they are there."""
    for name in names:
        around(owner, name, call)
