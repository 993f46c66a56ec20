"""Which names a part of the code reads from around it, and which it gives a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def free(node: ast.AST) -> set[str]:
    """The names that a part of the code reads and does not define itself."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inside = set[str]().union(*map(free, ast.iter_child_nodes(node)))
    if isinstance(node, FUNCTIONS):
        given = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        body = node.body if isinstance(node.body, list) else []
        outer = set[str]().union(*map(free, _of_definition(node)))
        bound = given | {name for part in body for name in bound_in(part)}
        return (inside - (bound - shared(node))) | outer
    if isinstance(node, COMPREHENSIONS):
        targets = {
            part.id for each in node.generators for part in ast.walk(each.target)
            if isinstance(part, ast.Name)
        }  # fmt: skip
        return inside - targets | free(node.generators[0].iter)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return inside | {node.target.id}
    return inside


def shared(function: ast.AST) -> set[str]:
    """The names that a function says are those of the module, or of the function around it."""
    parts = (node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    return {name for part in parts for name in part.names}


def _of_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """What a function reads where it is defined."""
    yield from node.args.defaults
    yield from filter(None, node.args.kw_defaults)
    yield from getattr(node, "decorator_list", [])


def bound_in(statement: ast.AST) -> Iterator[str]:
    """The names that a statement gives a value, in its own scope."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    if isinstance(statement, ast.alias):
        yield (statement.asname or statement.name).partition(".")[0]
    elif isinstance(statement, ast.Name) and not isinstance(statement.ctx, ast.Load):
        yield statement.id
    elif isinstance(statement, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and statement.name:
        yield statement.name
    elif isinstance(statement, ast.MatchMapping) and statement.rest:
        yield statement.rest
    for part in ast.iter_child_nodes(statement):
        if not isinstance(part, ast.Lambda):
            yield from bound_in(part)


def root(node: ast.expr) -> str:
    """The name with which a chain of attributes, items and calls begins; "" for none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
