"""Replaces functions of libraries; the replacements act only while a rehearsal runs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
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
    """Replace a function, method or class method by `call(original, *given)`; once.

    What `call` names is given to it by position, also where the caller uses the original's names.
    """
    attribute = vars(owner).get(name)
    if attribute is None or getattr(attribute, MARK, False):
        return
    bound = isinstance(attribute, (classmethod, staticmethod))
    original = (
        attribute.__func__ if isinstance(attribute, (classmethod, staticmethod)) else attribute
    )
    if getattr(original, MARK, False):
        return

    @functools.cache  # only where somebody names an argument
    def names() -> list[str]:
        return _positional(original)[: len(_positional(call)) - 1]

    @functools.wraps(original)
    def replaced(*args: Any, **more: Any) -> Any:
        if not _running:
            return original(*args, **more)
        for name in names()[len(args) :] if more else ():
            if name not in more:
                break
            args = (*args, more.pop(name))
        return call(original, *args, **more)

    if isinstance(owner, ModuleType):  # what pickles a function looks for it there
        replaced.__module__, replaced.__qualname__ = owner.__name__, name
    setattr(replaced, MARK, True)
    setattr(owner, name, type(attribute)(replaced) if bound else replaced)


def _positional(function: Any) -> list[str]:
    """The names of the arguments that a function takes by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in parameters if parameter.kind in kinds]


def each(owner: Any, names: tuple[str, ...], call: Around) -> None:
    """The same for several names, as far as they are there."""
    for name in names:
        around(owner, name, call)


def before(owner: Any, name: str, look: Callable[..., None]) -> None:
    """Let a function be looked at before it works, once; also one that is inherited, or in C."""
    original = getattr(owner, name, None)
    if original is None or getattr(original, MARK, False):
        return

    def replaced(*args: Any, **more: Any) -> Any:
        look(*args, **more)
        return original(*args, **more)

    for kept in ("__name__", "__doc__", "__qualname__"):
        setattr(replaced, kept, getattr(original, kept, None))
    setattr(replaced, MARK, True)
    setattr(owner, name, replaced)


def before_calls(model: Any, watch: Callable[..., None]) -> None:
    """Let a method of a watcher see each call of a model, once; nothing of what is no model."""
    hooks = getattr(model, "_forward_pre_hooks", None)
    watcher = getattr(watch, "__self__", watch)
    if hooks is not None and all(
        watcher is not getattr(hook, "__self__", None) for hook in hooks.values()
    ):
        model.register_forward_pre_hook(watch, with_kwargs=True)
