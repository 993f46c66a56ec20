"""Operators, comparisons and conditions in expressions of a script."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from trl_doctor.files.source.joined import GIVEN
from trl_doctor.files.source.objects import Class, Function, Instance, Scope, same
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Many,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)

MOST = 100_000
"""Characters or items that a computed value may have."""


OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}


COMPARED: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, many: left in many,
    ast.NotIn: lambda left, many: left not in many,
}


def binary(state: State, node: ast.BinOp, scope: Scope) -> Value:
    left, right = (
        state.evaluate(node.left, scope),
        state.evaluate(node.right, scope),
    )
    if isinstance(left, Many) and isinstance(right, Many) and isinstance(node.op, ast.Add):
        grows = left.grows or right.grows
        if len(left.items) + len(right.items) > MOST:
            return state.unknown(node)
        return Many([*left.items, *right.items], state.span(node), left.kind, grows=grows)
    if isinstance(left, Many) and isinstance(right, Many) and isinstance(node.op, ast.Sub):
        return _without(state, node, left, right)
    if isinstance(left, Table) and isinstance(right, Table) and isinstance(node.op, ast.BitOr):
        rest = left.rest or right.rest
        return Table({**left.entries, **right.entries}, rest, state.span(node))
    if isinstance(left, Plain) and isinstance(left.value, str) and isinstance(node.op, ast.Mod):
        text = _filled(left.value, right)
        return state.unknown(node) if text is None else Plain(text, state.span(node))
    if isinstance(left, Plain) and isinstance(right, Plain):
        paths = isinstance(left.value, str) and isinstance(right.value, str)
        if paths and isinstance(node.op, ast.Div):
            return Plain(f"{str(left.value).rstrip('/')}/{right.value!s}", state.span(node))
        result = computed(OPERATORS.get(type(node.op)), left.value, right.value)
        if result is not None:
            return Plain(result, state.span(node))
    return state.unknown(node)


def _without(state: State, node: ast.AST, left: Many, right: Many) -> Value:
    """A set without the items of another."""
    plain = [item.value for item in right.items if isinstance(item, Plain)]
    known = all(isinstance(item, Plain) for item in left.items)
    if not known or len(plain) < len(right.items) or right.grows:
        return state.unknown(node)
    items = [item for item in left.items if isinstance(item, Plain) and item.value not in plain]
    return Many([*items], state.span(node), left.kind, grows=left.grows)


def _filled(text: str, right: Value) -> str | None:
    """`"%s/%d" % (a, b)` with known values and plain fields; None for anything else."""
    values = right.items if isinstance(right, Many) and right.kind == "tuple" else [right]
    plain = [value.value for value in values if isinstance(value, Plain)]
    simple = not re.search(r"%(?![sd]|\.\df|0?\dd)", text.replace("%%", ""))
    if len(plain) < len(values) or not simple or sum(len(str(x)) for x in plain) > MOST:
        return None
    try:
        return text % tuple(plain)
    except (TypeError, ValueError):
        return None


def computed(act: Callable[[Any, Any], Any] | None, left: Any, other: Any) -> Any:
    """The result of an operator, None if there is none or it would be large."""
    sizes = [len(x) if isinstance(x, str | bytes) else 0 for x in (left, other)]
    numbers = [abs(x) for x in (left, other) if isinstance(x, int | float)]
    if act is None or max(sizes) > MOST:
        return None
    if act is operator.pow and (max(numbers, default=0) > 1000 or len(numbers) < 2):
        return None
    if act is operator.mul and max(sizes) and max(numbers, default=0) * max(sizes) > MOST:
        return None
    if act is operator.mod and isinstance(left, str | bytes):
        return None
    try:
        result = act(left, other)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return result if isinstance(result, bool | int | float | str) else None


def unary(state: State, node: ast.UnaryOp, scope: Scope) -> Value:
    operand = state.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        truth = true(operand)
        return state.unknown(node) if truth is None else Plain(not truth, state.span(node))
    if isinstance(operand, Plain) and isinstance(operand.value, int | float):
        if isinstance(node.op, ast.USub):
            return Plain(-operand.value, state.span(node), operand.literal)
        if isinstance(node.op, ast.UAdd):
            return operand
    return state.unknown(node)


def true(value: Value) -> bool | None:
    """Whether a value counts as true; None if that is not known."""
    if isinstance(value, Plain):
        return bool(value.value)
    if isinstance(value, Many):
        return bool(value.items)
    if isinstance(value, Table) and (value.entries or value.rest is None):
        return bool(value.entries)
    return True if isinstance(value, Function | Class | Instance) else None


def boolean(state: State, node: ast.BoolOp, scope: Scope) -> Value:
    stops = isinstance(node.op, ast.Or)
    if stops and ast.unparse(node.values[0]) == "sys.argv[1:]":
        state.parses = True
        if not state.argv:
            return state.evaluate(node.values[-1], scope)
        return Many([Plain(word) for word in state.argv], state.span(node))
    result: Value = Plain(None)
    for value in node.values:
        result = state.evaluate(value, scope)
        truth = true(result)
        if truth is None:
            given = isinstance(result, Unknown) and GIVEN in result.why
            return state.unknown(node, getattr(result, "why", "") if given else "")
        if truth is stops:
            return result
    return result


def comparison(state: State, node: ast.Compare, scope: Scope) -> Value:
    if len(node.ops) > 1:
        return state.unknown(node)
    left, other = (
        state.evaluate(node.left, scope),
        state.evaluate(node.comparators[0], scope),
    )
    act = node.ops[0]
    if isinstance(act, ast.Is | ast.IsNot):
        return _identity(state, node, left, other, isinstance(act, ast.IsNot))
    right: Any = None
    if isinstance(other, Plain):
        right = other.value
    elif isinstance(other, Many) and all(isinstance(x, Plain) for x in other.items):
        right = [x.value for x in other.items if isinstance(x, Plain)]
    elif isinstance(other, Table) and other.rest is None:
        right = list(other.entries)
    else:
        return state.unknown(node)
    result = (
        computed(COMPARED.get(type(act)), left.value, right) if isinstance(left, Plain) else None
    )
    if isinstance(other, Many) and other.grows and result is not isinstance(act, ast.In):
        return state.unknown(node)
    return state.unknown(node) if result is None else Plain(bool(result), state.span(node))


def _identity(state: State, node: ast.AST, left: Value, other: Value, turned: bool) -> Value:
    if isinstance(other, Plain) and other.value is None and not isinstance(left, Unknown):
        if isinstance(left, Outside):
            return state.unknown(node)
        equal = isinstance(left, Plain) and left.value is None
        return Plain(equal is not turned, state.span(node))
    if isinstance(left, Plain) and isinstance(other, Plain):
        return Plain(same(left, other) is not turned, state.span(node))
    return state.unknown(node)


def _of_command_line(state: State, node: ast.IfExp, scope: Scope) -> Value | None:
    """`sys.argv[1] if len(sys.argv) > 1 else …`, without words if none are given; else None."""
    test = node.test
    if not isinstance(test, ast.Compare) or ast.unparse(test.left) != "len(sys.argv)":
        return None
    state.parses = True
    words, number = ("", *(state.argv or ())), state.evaluate(test.comparators[0], scope)
    more = COMPARED.get(type(test.ops[0]))
    if not isinstance(number, Plain) or not computed(more, len(words), number.value):
        return state.evaluate(node.orelse, scope)
    return state.evaluate(node.body, scope)


def choice(state: State, node: ast.IfExp, scope: Scope) -> Value:
    if (chosen := _of_command_line(state, node, scope)) is not None:
        return chosen
    truth = true(state.evaluate(node.test, scope))
    if truth is not None:
        return state.evaluate(node.body if truth else node.orelse, scope)
    certain = len(state.refused)
    left, other = (
        state.evaluate(node.body, scope),
        state.evaluate(node.orelse, scope),
    )
    del state.refused[certain:]  # only one of them is evaluated in the run
    if same(left, other):
        return left
    return state.unknown(node, f"it depends on `{state.shown(node.test)}`")
