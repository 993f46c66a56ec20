"""The statements of a reward function."""

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
