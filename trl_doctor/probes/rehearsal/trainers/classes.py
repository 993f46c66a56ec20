"""What a trainer's class says: whose it is, and what its constructor is given."""

from __future__ import annotations

import inspect
from typing import Any


def by_name(original: Any, trainer: Any, given: Any, more: dict[str, Any]) -> dict[str, Any]:
    """What a constructor is given, by name, also what it does not take; as it is if none fits."""
    parameters = inspect.signature(original).parameters
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    refused = {} if open_ended else {name: more[name] for name in more if name not in parameters}
    taken = {name: more[name] for name in more if name not in refused}
    try:
        bound = inspect.signature(original).bind_partial(trainer, *given, **taken)
    except TypeError:  # the constructor itself says what is wrong
        return {**({"*": given} if given else {}), **more}
    arguments = {**bound.arguments, **refused}
    arguments.pop(next(iter(arguments)))
    for name, parameter in parameters.items():
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
