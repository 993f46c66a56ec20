"""Parameters that a reward function takes and does not look at."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

JUDGES = re.compile(
    r"correct|accura|exact|match|equal|right|solve"
    r"|^(compute_)?(score|reward|judge|grade)(_?(fn|func|function))?$",
    re.IGNORECASE,
)
"""The names of functions that should look at the right answer: also names for the whole reward."""


def unused(function: Any, name: str) -> bool:
    """Whether no value of this parameter is looked at; False where that cannot be known.

    A loop over `zip(completions, answer)` looks at none if its body does not use the answer. A
    function whose name says that it judges answers should look at them.
    """
    if JUDGES.search(getattr(function, "__name__", "")):
        return False
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return False
    if not isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if name not in [one.arg for one in (*tree.args.args, *tree.args.kwonlyargs)]:
        return False
    return _uses(tree, name) == sum(1 for _ in _loops(tree, name))


def _uses(tree: ast.AST, name: str) -> int:
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(tree)
    )


def _loops(tree: ast.AST, name: str) -> Iterator[ast.AST]:
    """The loops over `zip` with this name, whose values are not used."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            continue
        call, target = node.iter, node.target
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        if call.func.id != "zip" or not isinstance(target, ast.Tuple):
            continue
        for one, value in zip(target.elts, call.args):
            is_name = isinstance(value, ast.Name) and value.id == name
            if is_name and isinstance(one, ast.Name) and not _uses(tree, one.id):
                yield node
