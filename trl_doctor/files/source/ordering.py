"""What Python's functions make of all items of lists: the largest, the sum, an order, pairs."""

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

LONGEST = 2_000
"""Letters of a text that are gone over."""


def of_lists(state: State, name: str, handed: Arguments, node: ast.Call) -> Value | None:
    """What a function of Python gives for lists whose items are known; None for others."""
    if handed.rest is not None or not handed.values:
        return None
    if name == "builtins.zip" and not handed.keywords:
        return _pairs(state, [_items(value) for value in handed.values], node)
    if name == "builtins.enumerate":
        return _numbered(state, handed, node)
    return _of_one(state, name, handed, node) if name in NAMES else None


def _pairs(state: State, lists: list[list[Value] | None], node: ast.Call) -> Value | None:
    """The tuples that `zip` gives, as long as the shortest list."""
    known = [items for items in lists if items is not None]
    if len(known) < len(lists):
        return None
    pairs: list[Value] = [Many(list(pair), kind="tuple") for pair in zip(*known, strict=False)]
    return Many(pairs, state.span(node), "pairs")


def _numbered(state: State, handed: Arguments, node: ast.Call) -> Value | None:
    """The pairs of `enumerate`, from the number that it is given, or 0."""
    given = handed.keywords.get("start")
    start: Value = given.value if given else (*handed.values, Plain(0))[1]
    first = start.value if isinstance(start, Plain) else None
    if len(handed.values) + len(handed.keywords) > 2 or type(first) is not int:
        return None
    items = _items(handed.values[0])
    numbers: list[Value] = [Plain(first + at) for at in range(len(items or ()))]
    return _pairs(state, [numbers, items], node)


def _items(value: Value) -> list[Value] | None:
    """The items of a list, or the letters of a text; None if they are not all known."""
    if isinstance(value, Many):
        return None if value.grows else value.items
    text = value.value if isinstance(value, Plain) else None
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    return [Plain(letter) for letter in text]


def _of_one(state: State, name: str, handed: Arguments, node: ast.Call) -> Value | None:
    """What a function of `NAMES` gives for one list."""
    keywords = handed.keywords
    given = handed.values[0] if len(handed.values) == 1 else None
    if not isinstance(given, Many) or given.grows or given.kind == "set":
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
