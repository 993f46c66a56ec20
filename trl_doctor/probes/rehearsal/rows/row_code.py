"""The code of a function that gets one row: where it reads which column."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..where import is_own

if TYPE_CHECKING:
    Code = ast.FunctionDef | ast.Lambda


class RowCode(NamedTuple):
    """The syntax of a function, and the names that hold a column of its row, with the column."""

    function: Any
    node: Code
    row: str
    columns: dict[str, str]

    def column(self, value: ast.AST) -> str:
        """The column whose value this is, as it is or as `int(…)`; "" if it is none."""
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "int" and value.args:
            value = value.args[0]
        if isinstance(value, ast.Name):
            return self.columns.get(value.id, "")
        return _read(value, self.row)

    def known(self, value: ast.AST) -> Any:
        """What an expression is, where it is written in the function or named outside; or None."""
        try:
            return ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            if not isinstance(value, ast.Name) or value.id in self.function.__code__.co_varnames:
                return None
        names = inspect.getclosurevars(self.function)
        return {**names.globals, **names.nonlocals}.get(value.id)

    def at(self, node: ast.AST) -> tuple[str, int]:
        """File and line of a part of the function."""
        return self.function.__code__.co_filename, getattr(node, "lineno", 0)

    def is_compared(self, column: str) -> bool:
        """Whether the function compares a column, or decides by it."""
        return any(
            self.column(part) == column
            for node in ast.walk(self.node)
            if isinstance(node, (ast.Compare, ast.If, ast.IfExp, ast.BoolOp))
            for part in ast.walk(node.test if isinstance(node, (ast.If, ast.IfExp)) else node)
        )


def row_code(function: Any) -> RowCode | None:
    """The code of the user's own function; None where it is another's, or cannot be found."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_argcount or not is_own(code.co_filename):
        return None
    arguments = list(code.co_varnames[: code.co_argcount])
    nodes = [
        node
        for node in _functions(code.co_filename)
        if _first_line(node) == code.co_firstlineno
        and [argument.arg for argument in node.args.args] == arguments
    ]
    if len(nodes) != 1:
        return None
    row = arguments[0]
    stored = [node.id for node in ast.walk(nodes[0])
              if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]  # fmt: skip
    if row in stored:
        return None
    columns = {name: column for name, column in _assigned(nodes[0], row) if stored.count(name) == 1}
    return RowCode(function, nodes[0], row, columns)


@functools.lru_cache(maxsize=8)
def _functions(file: str) -> list[Code]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]


def _first_line(node: Code) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min(part.lineno for part in (node, *decorators))


def _assigned(node: ast.AST, row: str) -> Iterator[tuple[str, str]]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
            value = inner.value
            if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "int":
                value = value.args[0] if value.args else value
            if column := _read(value, row):
                yield inner.targets[0].id, column


def _read(value: ast.AST, row: str) -> str:
    """The column of `row["column"]` or `row.get("column")`."""
    key: ast.AST | None = None
    method = value.func if isinstance(value, ast.Call) else None
    if isinstance(value, ast.Subscript) and getattr(value.value, "id", "") == row:
        key = value.slice
    elif isinstance(method, ast.Attribute) and getattr(method.value, "id", "") == row:
        key = value.args[0] if isinstance(value, ast.Call) and method.attr == "get" else None
    name = getattr(key, "value", None)
    return name if isinstance(name, str) else ""
