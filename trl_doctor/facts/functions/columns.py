"""The columns that a reward function reads from its other arguments (`**kwargs`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def looked_up(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> tuple[str, ...]:
    """The names that are read as `kwargs["name"]` or `kwargs.get("name")`.

    Without those for which it asks whether they are there, or of which it tries several.
    """
    if node.args.kwarg is None:
        return ()
    holder = node.args.kwarg.arg
    keys = dict.fromkeys(_read(node, holder))
    return tuple(keys) if len(keys) == 1 or not _chooses(node, holder) else ()


def _read(node: ast.AST, holder: str) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Subscript) and _is(inner.value, holder):
            yield from _text(inner.slice)
        elif isinstance(inner, ast.Call) and _gets(inner.func, holder) and inner.args:
            yield from _text(inner.args[0])


def _gets(called: ast.AST, holder: str) -> bool:
    return isinstance(called, ast.Attribute) and called.attr == "get" and _is(called.value, holder)


def _chooses(node: ast.AST, holder: str) -> bool:
    """Whether it looks what is there, or has another way if nothing is."""
    return any(
        isinstance(inner, ast.Try)
        or (isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or))
        or (
            isinstance(inner, ast.Compare)
            and any(_is(comparator, holder) for comparator in inner.comparators)
        )
        for inner in ast.walk(node)
    )


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _text(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
