"""Functions of `map` that keep only some keys of each message of a row."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.facts.script.columns import columns_left
from trl_doctor.facts.script.passed import chain
from trl_doctor.facts.script.syntax.code import Code
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.values import Value
from trl_doctor.probes.tool_parts import KNOWS_CALLS

MESSAGE = (frozenset({"role", "content"}), frozenset({"from", "value"}))
"""The keys of a message that has nothing but a text."""

CHOOSES = ("map", "filter", "with_transform", "set_transform")
"""Methods after which the rows of a data set may be others than those of its file."""


class Rewritten(Struct, frozen=True):
    """A column of messages that a function writes anew, each with its role and text alone.

    `line` is that of the new message.
    """

    column: str
    line: int


def rewritten(rows: Value | None) -> list[Rewritten]:
    """What the functions given to `map` make of all messages of a column that is not kept beside.

    Nothing of a function that gives its row, or the column, to another one, and nothing of one
    before which the script changes or chooses rows: those may have no calls.
    """
    left, calls = columns_left(rows), list(chain(rows))
    found: list[Rewritten] = []
    for number, call in enumerate(calls):
        if any(before.short in CHOOSES for before in calls[number + 1 :]):
            continue
        function = call.argument("function", 0) if call.short == "map" else None
        if not isinstance(function, Function) or call.argument("batched") is not None:
            continue
        row = "".join(argument.arg for argument in function.node.args.args[:1])
        for one in _found(function.node, row):
            replaced = left.lost(one.column) or one.column in _set(function.node)
            if replaced and not _hands_on(function.node, row, one.column):
                found.append(one)
    return found


def makes_texts(rows: Value | None) -> bool:
    """Whether a function given to `map` makes messages with a role and a text, and no others."""
    given = [call.argument("function", 0) for call in chain(rows) if call.short == "map"]
    made = [{getattr(key, "value", None) for key in inner.keys}
            for function in given if isinstance(function, Function)
            for inner in ast.walk(function.node) if isinstance(inner, ast.Dict)]  # fmt: skip
    messages = [keys for keys in made if keys & {"role", "from", None}]
    return bool(messages) and all(keys in MESSAGE for keys in messages)


def _set(node: ast.AST) -> set[object]:
    """The keys of the dictionaries that a function makes, and those that it assigns."""
    keys: list[ast.expr | None] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Dict):
            keys += inner.keys
        elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            keys.append(inner.slice)
    return {key.value for key in keys if isinstance(key, ast.Constant)}


def _hands_on(node: ast.AST, row: str, column: str) -> bool:
    return any(
        getattr(given, "id", "") == row or _key(given, row) == column
        for inner in ast.walk(node)
        if isinstance(inner, ast.Call)
        for given in (*inner.args, *(word.value for word in inner.keywords))
    )


def _found(node: ast.AST, row: str) -> Iterator[Rewritten]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.ListComp) and len(inner.generators) == 1:
            loop = inner.generators[0]
            if not loop.ifs and _is_copy(inner.elt, loop.target):
                yield from _of(loop.iter, row, inner.elt)
        elif isinstance(inner, ast.For) and len(inner.body) == 1:
            made = _appended(inner.body[0])
            if made is not None and _is_copy(made, inner.target):
                yield from _of(inner.iter, row, made)


def _appended(statement: ast.stmt) -> ast.expr | None:
    """What a statement appends to a list, and does nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        return call.args[0] if call.func.attr == "append" else None
    return None


def _is_copy(made: ast.expr, target: ast.expr) -> bool:
    """Whether a dictionary has the role and the text of a message, and nothing else of it."""
    if not isinstance(made, ast.Dict) or not isinstance(target, ast.Name):
        return False
    keys = {key.value for key in made.keys if isinstance(key, ast.Constant)}
    read = [_key(value, target.id) for value in made.values]
    return len(made.keys) == 2 and keys in MESSAGE and frozenset(read) in MESSAGE


def _of(looped: ast.expr, row: str, made: ast.expr) -> Iterator[Rewritten]:
    if column := _key(looped, row):
        yield Rewritten(column, made.lineno)


def _key(value: ast.expr, holder: str) -> str:
    """The key of `holder["key"]` or `holder.get("key")`; "" for anything else."""
    key: ast.expr | None = None
    called = value.func if isinstance(value, ast.Call) else None
    if isinstance(value, ast.Subscript) and getattr(value.value, "id", "") == holder:
        key = value.slice
    elif isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == holder:
        key = value.args[0] if called.attr == "get" and isinstance(value, ast.Call) else None
    name = getattr(key, "value", None)
    return name if isinstance(name, str) else ""


def names_calls(code: Code) -> bool:
    """Whether a script or a comment of it names calls of tools."""
    return any(KNOWS_CALLS.search(piece.text) for piece in code.file.places.pieces)
