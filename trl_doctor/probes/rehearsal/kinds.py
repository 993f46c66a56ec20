"""Which packages the classes and functions of a run are from, and what they are called."""

from __future__ import annotations

from typing import Any

LIBRARY = frozenset({"transformers", "trl"})
"""The packages whose trainers are extended."""

LIBRARIES = frozenset({"transformers", "trl", "peft", "accelerate", "trl_doctor"})
"""The packages whose callbacks are not the script's own."""


def package_of(thing: Any) -> str:
    """The package in which a class or a function was defined; "" if that is not known."""
    return (getattr(thing, "__module__", None) or "").partition(".")[0]


def names_of(trainer: Any) -> set[str]:
    """The names of a trainer's class and of those that it extends."""
    return {kind.__name__ for kind in type(trainer).mro()}
