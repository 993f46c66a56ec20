"""Whether a reward belongs to a whole call, or is looked up by a completion's place in it."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, called
from .rows import GARBAGE, Case
from .source import bare

KINDS = 8
"""The most completions that are tried beside garbage."""

COUNTED = ("enumerate", "range")
"""What gives the places of completions to a loop."""

FILLS = frozenset({"append", "extend", "insert", "clear"})
"""What a function fills a list of its own by."""


def of_call(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> tuple[float, ...]:
    """What two completions get together, if they get the same; and what each gets alone.

    Empty if the rewards of a call differ, or if both get the same alone.
    """
    own = [case for case in cases if case.row == 0][:KINDS]
    try:
        for case in own:
            other = case._replace(text=GARBAGE)
            alone = [called(function, [one], sheet).values[0] for one in (case, other)]
            if alone[0] == alone[1] or not all(map(math.isfinite, alone)):
                continue
            orders = ([case, other], [other, case], [other, case, other])
            calls = [called(function, order, sheet) for order in orders]
            whole = all(call.returned == len(order) for call, order in zip(calls, orders))
            one = all(len({*call.values}) == 1 for call in calls)
            return (calls[0].values[0], *alone) if whole and one else ()
    except Exception:
        return ()
    return ()


def by_place(function: Any) -> str:
    """The list of the script's own that a function reads by a completion's place in its call.

    TRL's calls have other rows at each step: only what the call itself is given has their order,
    and what the function has filled by itself.
    """
    own = bare(function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(own)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ""
    outside: dict[str, Any] = getattr(own, "__globals__", {})
    code = getattr(own, "__code__", None)
    given = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]} if code else set()
    places, inner = set(_places(tree, given)), {*_own_names(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            name, at = node.value.id, node.slice
            listed = isinstance(outside.get(name), (list, tuple)) or _is_data_set(outside.get(name))
            by_name = isinstance(at, ast.Name) and at.id in places
            if by_name and listed and name not in inner:
                return name
    return ""


def _own_names(tree: ast.AST) -> Iterator[str]:
    """The names that a function is given, and those of what it makes or fills."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield getattr(node.value, "id", "")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in FILLS:
            yield getattr(getattr(node.func, "value", None), "id", "")


def _is_data_set(value: Any) -> bool:
    return type(value).__module__.startswith("datasets.") and hasattr(value, "column_names")


def _places(tree: ast.AST, given: set[str]) -> Iterator[str]:
    """The names that count what the function is given: `i` of `enumerate(completions)`.

    What counts the parts of one completion does not: `enumerate(completions[0])`.
    """
    loops = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]
    for loop in loops:
        call, target = loop.iter, loop.target
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in COUNTED:
            continue
        parts = {id(node.value) for node in ast.walk(call) if isinstance(node, ast.Subscript)
                 and not isinstance(node.slice, ast.Slice)}  # fmt: skip
        names = {node.id for node in ast.walk(call)
                 if isinstance(node, ast.Name) and id(node) not in parts}  # fmt: skip
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if names & given and len(call.args) == 1 and isinstance(first, ast.Name):
            yield first.id
