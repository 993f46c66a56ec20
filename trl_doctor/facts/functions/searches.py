"""The texts that a reward function looks for in completions, by its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FINDS = frozenset({"count", "find", "rfind", "index", "rindex", "startswith", "endswith"})
"""Methods of a text that look for another one; those that cut or replace lose nothing."""

PATTERNS = frozenset({"search", "match", "fullmatch", "findall", "finditer"})
"""Functions of `re` that take a pattern, and then the text."""


def sought(node: ast.AST) -> tuple[str, ...]:
    """The constant texts and patterns that it looks for in the completions, each once."""
    inside = list(ast.walk(node))
    texts, constants = _texts(inside), _constants(inside)
    searched = (text for inner in inside for text in _looked_for(inner, texts, constants))
    return tuple(dict.fromkeys(searched))


def _texts(inside: list[ast.AST]) -> set[str]:
    """The names that hold completions, or what is made of them alone."""
    names, before = {"completions"}, 0
    while len(names) > before:
        before = len(names)
        for inner in inside:
            if isinstance(inner, ast.For | ast.comprehension):
                names.update(_bound(inner.target, inner.iter, names))
            elif isinstance(inner, ast.Assign) and len(inner.targets) == 1:
                names.update(_bound(inner.targets[0], inner.value, names))
    return names


def _bound(target: ast.expr, value: ast.expr, names: set[str]) -> Iterator[str]:
    called = getattr(value.func, "id", "") if isinstance(value, ast.Call) else ""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and called == "enumerate":
        for part, source in zip(target.elts[1:], value.args, strict=False):
            yield from _bound(part, source, names)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Call) and called == "zip":
        for part, source in zip(target.elts, value.args, strict=False):
            yield from _bound(part, source, names)
    elif isinstance(target, ast.Name) and _mentions(value, names):
        yield target.id


def _mentions(value: ast.AST, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(value))


def _constants(inside: list[ast.AST]) -> dict[str, str]:
    """The names that are set to a constant text."""
    return {
        target.id: inner.value.value
        for inner in inside
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant)
        for target in inner.targets
        if isinstance(target, ast.Name) and isinstance(inner.value.value, str)
    }


def _looked_for(node: ast.AST, texts: set[str], constants: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        if isinstance(node.ops[0], ast.In | ast.NotIn) and _mentions(node.comparators[0], texts):
            yield from _constant(node.left, constants)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner, method = node.func.value, node.func.attr
        if getattr(owner, "id", "") in ("re", "regex") and method in PATTERNS:
            if any(_mentions(argument, texts) for argument in node.args[1:]):
                yield from _constant(node.args[0], constants)
        elif method in FINDS and _mentions(owner, texts):
            yield from _constant(node.args[0], constants)


def _constant(value: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.Name) and value.id in constants:
        yield constants[value.id]
