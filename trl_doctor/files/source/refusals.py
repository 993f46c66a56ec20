"""Conditions on which a script ends before its training, as things are on this machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.files.source import assignment
from trl_doctor.files.source.objects import Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Plain, Unknown


def refuses(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement with which a block says that the script cannot go on; None if it does not."""
    if body and isinstance(body[-1], ast.Raise) and body[-1].exc is not None:
        return body[-1]
    return None


def forget(state: State, node: ast.If, refusal: ast.stmt, scope: Scope) -> None:
    """What the condition tests is another value where the script trains."""
    given = state.parses and state.argv is None
    text = state.shown(getattr(refusal, "exc", refusal))
    why = COMMAND_LINE if given else f"the script raises {text} without it"
    unknown = Unknown(why, state.span(refusal))
    for tested in _tested(node.test):
        if isinstance(state.evaluate(tested, scope), Plain):
            assignment.assign(state, tested, unknown, scope, node)


def _tested(node: ast.AST) -> Iterator[ast.expr]:
    """The names, attributes and items that an expression reads."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Call) and child is node.func):
            yield from _tested(child)
        elif isinstance(child, ast.Attribute):
            yield from _tested(child.value)
