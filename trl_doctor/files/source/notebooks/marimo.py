"""marimo notebooks: Python files whose cells are functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

ALONE = ("function", "class_definition")
"""marimo's decorators of what is a cell of its own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unfolded(tree: ast.Module) -> ast.Module:
    """The module with its cells as top-level code, in the order in which marimo runs them."""
    if not any(
        isinstance(statement, ast.Import) and _names_marimo(statement) for statement in tree.body
    ):
        return tree
    cells = [
        statement
        for statement in tree.body
        if isinstance(statement, Function) and _has(statement, "cell")
    ]
    if not cells:
        return tree
    others = [_plain(statement) for statement in tree.body if statement not in cells]
    inside = [line for cell in _ordered(cells) for line in _lines(cell)]
    return ast.Module([*others, *inside], tree.type_ignores)


def _names_marimo(node: ast.Import) -> bool:
    return any(alias.name == "marimo" for alias in node.names)


def _has(node: Function | ast.ClassDef, decorator: str) -> bool:
    """Whether a definition has marimo's decorator of this name."""
    bare = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in node.decorator_list
    ]
    return any(isinstance(name, ast.Attribute) and name.attr == decorator for name in bare)


def _plain(node: ast.stmt) -> ast.stmt:
    """A function or class that is a cell of its own, without marimo's decorator."""
    if isinstance(node, Function | ast.ClassDef) and any(_has(node, name) for name in ALONE):
        node.decorator_list = []
    return node


def _lines(cell: Function) -> list[ast.stmt]:
    """What a cell does; what it returns only names what it has defined."""
    return [statement for statement in cell.body if not isinstance(statement, ast.Return)]


def _ordered(cells: Sequence[Function]) -> list[Function]:
    """The cells, each behind those that define what its parameters name."""
    rest, ordered = list(cells), list[Function]()
    while rest:
        defined = {name for cell in rest for name in _returned(cell)}
        ready = next(
            (cell for cell in rest if not (_wanted(cell) - _returned(cell)) & defined), rest[0]
        )
        rest.remove(ready)
        ordered.append(ready)
    return ordered


def _wanted(cell: Function) -> set[str]:
    return {argument.arg for argument in cell.args.args}


def _returned(cell: Function) -> set[str]:
    last = cell.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name)} if value else set()
