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
    inner = {*_own_names(tree)}
    for node in _at_places(tree, given):
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        listed = isinstance(outside.get(name), (list, tuple)) or _is_data_set(outside.get(name))
        if listed and name not in inner:
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


def _at_places(tree: ast.AST, given: set[str]) -> Iterator[ast.Subscript]:
    """What is read by a name that counts what the function is given: by `i` of
    `enumerate(completions)`, in this loop.

    What counts the parts of one completion does not: `enumerate(completions[0])`.
    """
    for node in ast.walk(tree):
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", ())
        for place in (place for loop in loops for place in _place(loop, given)):
            yield from _read_by(place, node)


def _place(loop: Any, given: set[str]) -> Iterator[str]:
    """The name by which a loop counts what is given."""
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in COUNTED:
        return
    parts = {id(node.value) for node in ast.walk(call) if isinstance(node, ast.Subscript)
             and not isinstance(node.slice, ast.Slice)}  # fmt: skip
    names = {node.id for node in ast.walk(call)
             if isinstance(node, ast.Name) and id(node) not in parts}  # fmt: skip
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    if names & given and len(call.args) == 1 and isinstance(first, ast.Name):
        yield first.id


def _read_by(place: str, loop: ast.AST) -> Iterator[ast.Subscript]:
    """What a loop reads by this name, but not where another loop in it has the name."""
    for node in ast.iter_child_nodes(loop):
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", ())
        names = {one.id for each in loops for one in ast.walk(each.target)
                 if isinstance(one, ast.Name)}  # fmt: skip
        if place in names:
            continue
        if isinstance(node, ast.Subscript) and getattr(node.slice, "id", "") == place:
            yield node
        yield from _read_by(place, node)
