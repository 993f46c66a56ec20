"""The statements of a function in a script."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def body_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of nested functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            yield child
            yield from body_nodes(child)


def returned_values(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> list[ast.expr | None]:
    """What each `return` of a function gives, None for a bare one; a lambda gives its body."""
    if isinstance(node, ast.Lambda):
        return [node.body]
    return [inner.value for inner in body_nodes(node) if isinstance(inner, ast.Return)]
