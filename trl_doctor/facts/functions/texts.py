"""Whether a reward function's source takes completions as texts, and how many rewards it gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.facts.functions.function_body import body_nodes, returned_values

METHODS = frozenset({"strip", "lower", "upper", "startswith", "endswith", "split", "splitlines"})
"""Methods that a text has and a list of messages does not."""

SEARCHES = {"search": 1, "match": 1, "fullmatch": 1, "findall": 1, "finditer": 1, "split": 1}
"""Functions of `re`, and where their text is among the arguments."""


def text_use(node: ast.AST) -> str:
    """What the function does to a completion that only a text allows; empty if nothing is known.

    Nothing is known where it checks a type, catches errors, or sets the completion anew.
    """
    inside = list(ast.walk(node))
    words = {getattr(inner, "id", getattr(inner, "attr", "")) for inner in inside}
    if "isinstance" in words or any(isinstance(inner, ast.Try) for inner in inside):
        return ""
    stored = [inner.id for inner in inside if isinstance(inner, ast.Name) and _stores(inner)]
    if "completions" in stored:
        return ""
    single = {name for name in _completions(inside) if stored.count(name) == 1}
    return next((use for inner in inside if (use := _use(inner, single))), "")


def gives_one(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether it always returns one number, or a list that is written with one element."""
    if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in body_nodes(node)):
        return False
    values = returned_values(node)
    return bool(values) and all(value is not None and _is_one(value) for value in values)


def _is_one(value: ast.expr) -> bool:
    if isinstance(value, ast.List):
        return len(value.elts) == 1 and not isinstance(value.elts[0], ast.Starred)
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _completions(inside: list[ast.AST]) -> Iterator[str]:
    """The names of loops over the argument `completions`."""
    for inner in inside:
        if isinstance(inner, ast.For | ast.comprehension):
            yield from _looped(inner.target, inner.iter)


def _looped(target: ast.expr, over: ast.expr) -> Iterator[str]:
    if isinstance(over, ast.Name) and over.id == "completions" and isinstance(target, ast.Name):
        yield target.id
    elif isinstance(over, ast.Call) and isinstance(target, ast.Tuple):
        called = getattr(over.func, "id", "")
        targets = target.elts[1:] if called == "enumerate" else target.elts
        if called in ("zip", "enumerate"):
            for part, source in zip(targets, over.args, strict=False):
                yield from _looped(part, source)


def _use(node: ast.AST, names: set[str]) -> str:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    owner, method = node.func.value, node.func.attr
    if isinstance(owner, ast.Name) and owner.id in names and method in METHODS:
        return f"{owner.id}.{method}()"
    at = SEARCHES.get(method)
    if at is None or getattr(owner, "id", "") != "re" or len(node.args) <= at:
        return ""
    text = node.args[at]
    return f"re.{method}" if isinstance(text, ast.Name) and text.id in names else ""
