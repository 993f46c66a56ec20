"""The columns that a reward function reads from its other arguments (`**kwargs`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.files.source.names import last_name


def looked_up(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> tuple[str, ...]:
    """The names that are read as `kwargs["name"]` or `kwargs.get("name")`.

    Without those for which it asks whether they are there, or of which it tries several.
    """
    if node.args.kwarg is None:
        return ()
    holder = node.args.kwarg.arg
    asked = _asked(node, holder)
    keys = dict.fromkeys(key for key in _read(node, holder) if key not in asked)
    return tuple(keys) if len(keys) == 1 or not _chooses(node, holder) else ()


def _read(node: ast.AST, holder: str) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Subscript) and _is(inner.value, holder):
            yield from _text(inner.slice)
        elif isinstance(inner, ast.Call) and _gets(inner.func, holder) and inner.args:
            yield from _text(inner.args[0])


def _asked(node: ast.AST, holder: str) -> set[str]:
    """The names that it can do without: it has a default for them, or asks for them first."""
    names, inside = set[str](), list(ast.walk(node))
    tested = {name for inner in inside for name in _replaced(inner)}
    for inner in inside:
        if isinstance(inner, ast.Compare) and any(_is(part, holder) for part in inner.comparators):
            names.update(_text(inner.left))
        elif isinstance(inner, ast.Call) and _gets(inner.func, holder) and len(inner.args) > 1:
            if not _is_empty(inner.args[1]):
                names.update(_text(inner.args[0]))
        elif isinstance(inner, ast.Assign) and {*map(last_name, inner.targets)} & tested:
            names.update(_read(inner.value, holder))
    return names


def _is_empty(default: ast.expr) -> bool:
    """Whether a default gives the function nothing to work with: None, or an empty list."""
    return not getattr(default, "value", getattr(default, "elts", True))


def _replaced(node: ast.AST) -> set[str]:
    """The names that a condition tests, to go on with another value where they have none."""
    ends = isinstance(node, ast.If) and any(
        isinstance(inner, ast.Return | ast.Raise) for inner in node.body
    )
    if not isinstance(node, ast.If | ast.IfExp) or ends:
        return set()
    return {inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)}


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
