"""Conditions of a script that are not known, with what they ask of a tokenizer."""

from __future__ import annotations

import ast

from trl_doctor.files.source.objects import Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Guard, LibraryObject, Plain, Unknown


def guard(state: State, node: ast.expr, scope: Scope) -> Guard:
    """The condition of an `if` whose truth is not known."""
    text, span = state.shown(node), state.span(node)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        inner = [guard(state, value, scope) for value in node.values]
        first = inner[0]
        alike = all(each.of is first.of and _role(each) == _role(first) for each in inner)
        if alike and first.missing:
            return Guard(text, span, first.of, _role(first))
        return Guard(text, span)
    missing = _missing(state, node, scope)
    if missing is not None:
        return Guard(text, span, missing[0], missing[1])
    lacking = _lacking(state, node, scope)
    if lacking is not None:
        return Guard(text, span, lacking[0], lacks=lacking[1])
    return Guard(text, span)


def _role(guard: Guard) -> str:
    return guard.missing.removesuffix("_id")


def _missing(state: State, node: ast.expr, scope: Scope) -> tuple[LibraryObject, str] | None:
    """`x.pad_token is None`, `not x.pad_token` and the like."""
    tested: ast.expr | None = None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        tested = node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = node.comparators[0]
        none = isinstance(other, ast.Constant) and other.value is None
        if none and isinstance(node.ops[0], ast.Is | ast.Eq):
            tested = node.left
    if tested is None:
        return None
    value = state.evaluate(tested, scope)
    if isinstance(value, Unknown) and value.of is not None and "(" not in value.part:
        return value.of, value.part
    return None


def _lacking(state: State, node: ast.expr, scope: Scope) -> tuple[LibraryObject, str] | None:
    """`"<pad>" not in x.get_vocab()` and `not in x.vocab`."""
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)):
        return None
    token = state.evaluate(node.left, scope)
    container = state.evaluate(node.comparators[0], scope)
    if not isinstance(token, Plain) or not isinstance(token.value, str):
        return None
    if (
        isinstance(container, LibraryObject)
        and container.short == "get_vocab"
        and container.base is not None
    ):
        return container.base, token.value
    if isinstance(container, Unknown) and container.of is not None and container.part == "vocab":
        return container.of, token.value
    return None
