"""What a trainer's class says: whose it is, and what its constructor is given."""

from __future__ import annotations

import inspect
from typing import Any


def by_name(original: Any, trainer: Any, given: Any, more: dict[str, Any]) -> dict[str, Any]:
    """What a constructor is given, by name; as it is where the names do not fit."""
    try:
        bound = inspect.signature(original).bind(trainer, *given, **more)
    except TypeError:  # the constructor itself says what is wrong
        return {**({"*": given} if given else {}), **more}
    arguments = dict(bound.arguments)
    arguments.pop(next(iter(arguments)))
    for name, parameter in inspect.signature(original).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments.update(arguments.pop(name, {}))
        elif parameter.kind is parameter.VAR_POSITIONAL and name in arguments:
            return {**({"*": given} if given else {}), **more}
    return arguments


def released(kind: type) -> type:
    """The library's class that a class of the user's extends."""
    for base in kind.__mro__:
        if base.__module__.startswith(("trl.", "transformers.")):
            return base
    return kind


def is_own(trainer: Any) -> bool:
    """Whether a trainer is of a class of the user's."""
    return type(trainer) is not released(type(trainer))
