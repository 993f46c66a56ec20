"""The values that a script gives to names, as far as plain assignments show it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Each name with each value that `name = value` gives it; `a = b = value` has two."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def values_by_name(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """All values of each name."""
    values: dict[str, list[ast.expr]] = {}
    for name, value in assigned(nodes):
        values.setdefault(name, []).append(value)
    return values
