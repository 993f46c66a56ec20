"""marimo notebooks: Python files whose cells are functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

ALONE = ("function", "class_definition")
"""marimo's decorators of what is a cell of its own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unfolded(tree: ast.Module) -> ast.Module:
    """The module with its cells as top-level code, in the order in which marimo runs them."""
    if not any(isinstance(one, ast.Import) and _names_marimo(one) for one in tree.body):
        return tree
    cells = [one for one in tree.body if isinstance(one, Function) and _has(one, "cell")]
    if not cells:
        return tree
    others = [_plain(one) for one in tree.body if one not in cells]
    inside = [line for cell in _ordered(cells) for line in _lines(cell)]
    return ast.Module([*others, *inside], tree.type_ignores)


def _names_marimo(node: ast.Import) -> bool:
    return any(one.name == "marimo" for one in node.names)


def _has(node: Function | ast.ClassDef, decorator: str) -> bool:
    """Whether marimo's own decorator of this name stands above a definition."""
    bare = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return any(isinstance(one, ast.Attribute) and one.attr == decorator for one in bare)


def _plain(node: ast.stmt) -> ast.stmt:
    """A function or class that is a cell of its own, without marimo's decorator."""
    if isinstance(node, Function | ast.ClassDef) and any(_has(node, one) for one in ALONE):
        node.decorator_list = []
    return node


def _lines(cell: Function) -> list[ast.stmt]:
    """What a cell does; what it returns only names what it has defined."""
    return [one for one in cell.body if not isinstance(one, ast.Return)]


def _ordered(cells: Sequence[Function]) -> list[Function]:
    """The cells, each behind those that define what its parameters name."""
    left, ordered = list(cells), list[Function]()
    while left:
        defined = {name for one in left for name in _returned(one)}
        ready = next(
            (one for one in left if not (_wanted(one) - _returned(one)) & defined), left[0]
        )
        left.remove(ready)
        ordered.append(ready)
    return ordered


def _wanted(cell: Function) -> set[str]:
    return {one.arg for one in cell.args.args}


def _returned(cell: Function) -> set[str]:
    last = cell.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    return {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} if value else set()
