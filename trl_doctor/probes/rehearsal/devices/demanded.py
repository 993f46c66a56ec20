"""Whether a line of the script goes on only where there is a GPU."""

from __future__ import annotations

import ast
from functools import lru_cache

from ...named_objects import parsed
from ..where import At

LEAVES = ("exit", "quit", "_exit", "abort")
BEYOND = (ast.Gt, ast.LtE)


def demanded(at: At) -> bool:
    """Whether the line asserts what it asks, or ends the script if the answer is no."""
    return _demand(*at) is not None


def number(at: At) -> int:
    """The least number of GPUs that the line accepts, where it compares them with a number."""
    for node in ast.walk(_demand(*at) or ast.Pass()):
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            least = node.comparators[0]
            if isinstance(least, ast.Constant) and type(least.value) is int:
                return least.value + isinstance(node.ops[0], BEYOND)
    return 1


@lru_cache(maxsize=64)
def _demand(file: str, line: int) -> ast.expr | None:
    """The condition that the line tests and on which the script ends."""
    tree = parsed(file)
    if tree is None:
        return None
    test: ast.expr | None = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assert, ast.If)):
            inside = node.test.lineno <= line <= (node.test.end_lineno or 0)
            if inside and (isinstance(node, ast.Assert) or _leaves(node)):
                test = node.test
    return test


def _leaves(node: ast.If) -> bool:
    """Whether the script ends if there is no GPU."""
    last = node.body[-1]
    if isinstance(last, ast.Raise):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(
        call, ast.Call) else ""  # fmt: skip
    return name in LEAVES
