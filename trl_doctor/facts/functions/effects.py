"""Whether a function does something else than to compute a value, by its source."""

from __future__ import annotations

import ast

from trl_doctor.files.source.names import last_name, root_name

EFFECTS = frozenset(
    {"add", "append", "appendleft", "debug", "dump", "extend", "info", "insert", "log", "print",
     "put", "save", "send", "setattr", "setdefault", "update", "warning", "write", "writelines"}
)  # fmt: skip
"""Calls that are made for their effect."""


def has_effect(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it surely changes, prints or writes something beside the value that it gets."""
    inside = list(ast.walk(node))
    made = {inner.id for inner in inside if isinstance(inner, ast.Name) and _is_set(inner)}
    own = made | {inner.arg for inner in inside if isinstance(inner, ast.arg)}
    return any(_changes(inner, made, own) for inner in inside)


def _changes(node: ast.AST, made: set[str], own: set[str]) -> bool:
    """Whether one node does; `made` are the function's variables, `own` its arguments, too."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in EFFECTS and root_name(node.func) not in own
    if isinstance(node, ast.Subscript):
        return _is_set(node) and root_name(node) not in own
    if isinstance(node, ast.Attribute):
        return _is_set(node) and root_name(node) not in made
    return isinstance(node, ast.Global | ast.Nonlocal)


def _is_set(node: ast.Name | ast.Subscript | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)
