"""What a script takes the values of columns for: talks or texts, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

PARTS = ("role", "content", "from", "value")
"""The keys of a message."""

OF_TEXTS = ("strip", "split", "replace", "lower", "upper", "startswith", "endswith", "rstrip",
            "lstrip", "splitlines", "format", "partition", "rpartition")  # fmt: skip

Shape = str
""""text", "talk" (role and content) or "older talk" (from and value)."""


def shapes(script: str) -> Mapping[str, Shape]:
    """The shapes of columns by their names, as far as the source shows them."""
    try:
        tree = ast.parse(Path(script).read_text("utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return {}
    looped, values = _looped(tree), _values_by_name(tree)
    by_name: dict[str, Shape] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and (part := _text(node.slice)) in PARTS:
            shape = "older talk" if part in ("from", "value") else "talk"
            inner = node.value
            if isinstance(inner, ast.Subscript) and _number(inner.slice):
                _note(by_name, inner.value, shape)
            elif isinstance(inner, ast.Name):
                for expression in looped.get(inner.id, ()):
                    _note(by_name, expression, shape)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if _is_text(other):
                    _note(by_name, side, "text")
        elif isinstance(node, ast.FormattedValue) or (
            isinstance(node, ast.Attribute) and node.attr in OF_TEXTS
        ):
            _note(by_name, node.value, "text")
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                if key is not None and _text(key) in ("content", "value"):
                    _note(by_name, values.get(getattr(value, "id", ""), value), "text")
    return by_name


def _note(by_name: dict[str, Shape], node: ast.expr, shape: Shape) -> None:
    """The shape of a column, where the node looks one up; the first that is seen counts."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        column = _text(node.slice)
        if column and column not in PARTS:
            by_name.setdefault(column, shape)


def _looped(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What names of loops run over."""
    loops: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name):
            loops.setdefault(node.target.id, []).append(node.iter)
    return loops


def _values_by_name(tree: ast.AST) -> dict[str, ast.expr]:
    """What names are given that are set once: `prompt = row["prompt"]`."""
    by_name: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            by_name.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in by_name.items() if len(values) == 1}


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return bool(_text(node)) or isinstance(node, ast.JoinedStr)
