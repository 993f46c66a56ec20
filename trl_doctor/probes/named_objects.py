"""What names in a line of source stand for; nothing of the script's runs to find out."""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import linecache
from collections.abc import Iterator
from types import FrameType
from typing import Any

UNKNOWN = object()
"""What a source says that is no plain name."""


def resolved(node: ast.AST, frame: FrameType) -> Any:
    """The object that names, attributes and constant keys lead to; UNKNOWN for all else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals):
            if node.id in names:
                return names[node.id]
        return UNKNOWN
    if isinstance(node, ast.Attribute):
        owner = resolved(node.value, frame)
        value = UNKNOWN if owner is UNKNOWN else inspect.getattr_static(owner, node.attr, UNKNOWN)
        return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    if isinstance(node, ast.Subscript):
        owner, key = resolved(node.value, frame), resolved(node.slice, frame)
        try:
            return owner[key] if type(owner) in (dict, list, tuple) else UNKNOWN
        except (LookupError, TypeError):
            return UNKNOWN
    return UNKNOWN


def parameters_of(called: Any, name: str) -> list[str]:
    """The names that a function takes, if it has the name that an error says: `Trainer.__init__`.

    Of a class its constructor's, or that of the class which it extends and the error names.
    """
    kinds = called.__mro__ if isinstance(called, type) else ()
    functions = [vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)]
    for function in functions or [called]:
        if not callable(function):
            continue
        own = getattr(inspect.unwrap(function), "__qualname__", "")
        if not name or own == name or own.rpartition(".")[2] == name:
            try:
                parameters = inspect.signature(function).parameters.values()
            except (TypeError, ValueError):
                continue
            names = (
                p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
            )
            return [name for name in names if name not in ("self", "cls")]
    return []


def parsed(file: str) -> ast.Module | None:
    """The syntax tree of a file, as Python has read it; None if it is not valid."""
    return _tree("".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def around(tree: ast.AST, line: int) -> Iterator[ast.AST]:
    """The parts of a file that contain a line, and parts without lines; the outer ones first."""
    waiting = collections.deque([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        for child in ast.iter_child_nodes(node):
            if getattr(child, "lineno", line) <= line <= (getattr(child, "end_lineno", 0) or line):
                waiting.append(child)


def nodes_of(file: str) -> Iterator[ast.AST]:
    """All parts of a file; none if it is not valid."""
    tree = parsed(file)
    return iter(()) if tree is None else ast.walk(tree)


def statement(frame: FrameType, line: int) -> str:
    """The statement at a line, in one line; the line alone if it cannot be read."""
    for node in nodes(frame, line):
        if isinstance(node, ast.stmt):
            return ast.unparse(node)
    return linecache.getline(frame.f_code.co_filename, line).strip()


def nodes(frame: FrameType, line: int) -> list[ast.AST]:
    """The parts of the innermost statement that has a line, the statement first."""
    tree = parsed(frame.f_code.co_filename)
    if tree is None:
        return []
    last: ast.stmt | None = None
    for node in around(tree, line):
        if isinstance(node, ast.stmt):
            last = node
    if last is None:
        return []
    bodies = {id(child) for part in ("body", "orelse", "finalbody", "handlers")
              for child in getattr(last, part, ()) if isinstance(child, ast.AST)}  # fmt: skip
    return [last, *(part for child in ast.iter_child_nodes(last) if id(child) not in bodies
                    for part in ast.walk(child))]  # fmt: skip
