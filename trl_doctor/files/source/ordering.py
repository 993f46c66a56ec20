"""What Python's functions make of all items of a list: the largest, the sum, an order."""

from __future__ import annotations

import ast
from collections.abc import Callable

from trl_doctor.files.source import functions
from trl_doctor.files.source.objects import Arguments, Function
from trl_doctor.files.source.operations import true
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, Plain, Value

NAMES = frozenset(f"builtins.{name}" for name in ("all", "any", "max", "min", "sorted", "sum"))
"""Functions that go over a list."""


def of_list(state: State, name: str, handed: Arguments, node: ast.Call) -> Value | None:
    """What a function of `NAMES` gives for one list whose items are known; None for others."""
    keywords = handed.keywords
    given = handed.values[0] if len(handed.values) == 1 and name in NAMES else None
    if handed.rest is not None or not isinstance(given, Many) or given.grows or given.kind == "set":
        return None
    short = name.rpartition(".")[2]
    if short in ("any", "all"):
        truths = [true(item) for item in given.items]
        known = not keywords and None not in truths
        return Plain({"any": any, "all": all}[short](truths), state.span(node)) if known else None
    key, reverse = keywords.get("key"), keywords.get("reverse")
    others = keywords.keys() - ({"key", "reverse"} if short == "sorted" else {"key"})
    turned = reverse.value if reverse else Plain(False)
    if others or (short == "sum" and keywords) or not isinstance(turned, Plain):
        return None
    keys = [_key(state, key.value if key else None, item, node) for item in given.items]
    plain = [value.value for value in keys if isinstance(value, Plain)]
    if len(plain) < len(keys) or (short in ("max", "min") and not plain):
        return None
    places = range(len(plain))
    try:
        if short == "sum":
            return Plain(sum(plain), state.span(node))  # type: ignore[arg-type]
        if short in ("max", "min"):
            choose: Callable[..., int] = max if short == "max" else min
            return given.items[choose(places, key=plain.__getitem__)]
        order = sorted(places, key=plain.__getitem__, reverse=bool(turned.value))  # type: ignore[arg-type]
    except TypeError:
        return None
    return Many([given.items[at] for at in order], state.span(node))


def _key(state: State, key: Value | None, item: Value, node: ast.Call) -> Value:
    """By what an item is put in order."""
    if key is None:
        return item
    if not isinstance(key, Function):
        return state.unknown(node)
    return functions.function(state, key, Arguments([item], {}), node)
