"""What a function of a script gives for a value: read, and not run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from typing import SupportsIndex

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.source import expressions, functions, statements
from trl_doctor.files.source.objects import Arguments, Function
from trl_doctor.files.source.state import State, TooMuch
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import Guard, Many, NamedValue, Plain, Table, Value

DEEP = 5000
"""Python frames that reading may take: each nested expression takes a few."""

METHODS = frozenset({
    "append", "capitalize", "endswith", "extend", "format", "get", "join", "lower", "lstrip",
    "replace", "rstrip", "startswith", "strip", "title", "upper",
})  # fmt: skip
BUILTINS = frozenset({"bool", "dict", "len", "list", "str"})
"""What is evaluated as Python does; much else is only evaluated nearly so."""

REFUSED = (
    ast.Try, ast.While, ast.With, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Await,
    ast.Yield, ast.YieldFrom, ast.Set, ast.SetComp, ast.NamedExpr, ast.Delete, ast.Match,
)  # fmt: skip


class Open(Exception):
    """What the function gives depends on something that is not known."""


class _Certain(list[Guard]):
    """The conditions of a reading: one that is not known ends it."""

    def append(self, guard: Guard) -> None:
        raise Open

    def insert(self, index: SupportsIndex, guard: Guard) -> None:
        raise Open


def takes_rows(callee: Function) -> bool:
    """Whether it is a plain function of one value, as `map` calls it with a row."""
    signature = callee.node.args
    names = [*signature.posonlyargs, *signature.args]
    own = len(names) - (callee.owner is not None) - len(signature.defaults)
    return own == 1 and not callee.decorated and _is_exact(callee, [])


def _is_exact(callee: Function, above: list[ast.AST]) -> bool:
    """Whether its code has nothing that is only nearly evaluated as Python does."""
    if callee.node in above or isinstance(callee.node, ast.AsyncFunctionDef):
        return False
    for node in ast.walk(callee.node):
        if isinstance(node, REFUSED):
            return False
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute):
            exact = node.func.attr in METHODS
        elif isinstance(node.func, ast.Name):
            found = callee.scope.find(node.func.id)
            exact = (
                _is_exact(found, [*above, callee.node])
                if isinstance(found, Function)
                else found is None and node.func.id in BUILTINS
            )
        else:
            exact = False
        if not exact:
            return False
    return True


def applied(callee: Function, row: Mapping[str, Json], pieces: Sequence[Piece]) -> Json:
    """What the function returns for a row; None also where it returns nothing.

    `pieces` are those of the script. Raises `Unavailable` if that is not known for certain.
    """
    path = pieces[callee.source].path
    state = State(
        path.parent, (), {}, lambda question: None, expressions.evaluate, statements.block,
        list(pieces), guards=_Certain(), starts=(path.parent,), source=callee.source,
    )  # fmt: skip
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        result = functions.function(state, callee, Arguments([_value(row)], {}), callee.node)
        if state.raised is not None:
            raise Open
        return _json(result)
    except (Open, TooMuch, RecursionError):
        raise Unavailable(f"what {callee.name} makes of a row is not known") from None
    finally:
        sys.setrecursionlimit(before)


def rows_in(value: Value | None) -> tuple[dict[str, Json], ...]:
    """The rows that a list of the script holds; none if a part of them is not known."""
    try:
        rows = _json(value) if isinstance(value, Many) else None
    except Open:
        return ()
    whole = tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
    return whole if isinstance(rows, list) and len(whole) == len(rows) else ()


def _value(cell: object) -> Value:
    if isinstance(cell, Mapping):
        return Table({key: NamedValue(_value(part)) for key, part in cell.items()})
    if isinstance(cell, list):
        return Many([_value(part) for part in cell])
    assert cell is None or isinstance(cell, bool | int | float | str)
    return Plain(cell)


def _json(value: Value) -> Json:
    if isinstance(value, Plain) and not isinstance(value.value, bytes):
        return value.value
    if isinstance(value, Many) and value.kind in ("list", "tuple") and not value.grows:
        return [_json(item) for item in value.items]
    if isinstance(value, Table) and value.rest is None:
        entries = value.entries.items()
        if not any(entry.perhaps or not isinstance(key, str) for key, entry in entries):
            return {str(key): _json(entry.value) for key, entry in entries}
    raise Open
