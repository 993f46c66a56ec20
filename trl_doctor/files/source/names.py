"""The names in an expression of Python, as they are written."""

from __future__ import annotations

import ast


def last_name(node: ast.AST) -> str:
    """`to_list` of `rows.to_list`, `load` of `load`; "" for anything else."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def root_name(value: ast.AST) -> str:
    """The name that a chain of methods, keys and attributes begins with; "" if it is no chain."""
    while not isinstance(value, ast.Name):
        if isinstance(value, ast.Call):
            value = value.func
        elif isinstance(value, ast.Attribute | ast.Subscript):
            value = value.value
        else:
            return ""
    return value.id
