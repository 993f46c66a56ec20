"""Which columns a script's own calls surely leave to its data set, or surely take from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.script.column_steps import names_in, renamed
from trl_doctor.facts.script.data import KEEPS
from trl_doctor.facts.script.passed import chain
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.values import LibraryObject, Plain, Unknown, Value, text_in

SAME = (*KEEPS, "filter", "sort", "cast", "cast_column", "flatten_indices")
"""Methods that leave the names of the columns as they are."""


class Lost(Struct, frozen=True):
    """What became of a column that is surely not there; `name` is the one that it now has."""

    how: Literal["renamed", "removed", "absent"]
    name: str = ""


class Columns(Struct, frozen=True):
    """`only` are all columns, None if others may be there. `gone` are those that are not, and
    `there` those that the script surely makes."""

    only: frozenset[str] | None
    gone: dict[str, Lost]
    there: frozenset[str] = frozenset()

    def lost(self, name: str) -> Lost | None:
        """What became of a column that is surely not there; None if it may be there."""
        if name in self.gone:
            return self.gone[name]
        return Lost("absent") if self.only is not None and name not in self.only else None


OPEN = Columns(None, {})


def columns_left(value: Value | None) -> Columns:
    """What the chain of calls that makes a data set says of its columns."""
    if not isinstance(value, LibraryObject) or value.base is None:
        return OPEN
    before, step = columns_left(value.base), value.short
    if value.rest is not None:
        return OPEN
    if step in SAME or value.of.endswith("]"):
        return before
    if step == "map":
        return _mapped(before, value)
    if step in ("rename_column", "rename_columns"):
        return _renamed(before, value)
    names = names_in(value.argument("column_names", 0))
    if names is None:
        return OPEN
    if step == "remove_columns":
        return _without(before, names)
    if step == "select_columns":
        lost = {name: how for name, how in before.gone.items() if name not in names}
        return Columns(frozenset(names), lost, frozenset(names))
    return OPEN


def adds_column(value: Value | None, name: str) -> bool:
    """Whether the chain of calls that makes a data set has `add_column` with this name."""
    added = (call.argument("name", 0) for call in chain(value) if call.short == "add_column")
    return name in map(text_in, added)


def knows_column(value: Value | None, name: str) -> bool:
    """Whether the chain of calls removes a column by its name, or a function of it may read it.

    A function may if it names the column, or gives the whole row to another function.
    """
    return any(_removes(call, name) or _may_read(call, name) for call in chain(value))


def _removes(call: LibraryObject, name: str) -> bool:
    return call.short == "remove_columns" and columns_left(call).lost(name) == Lost("removed")


def _may_read(call: LibraryObject, name: str) -> bool:
    made = call.argument("function", 0) if call.short == "map" else None
    if not isinstance(made, Function):
        return False
    row = [argument.arg for argument in made.node.args.args][:1]
    nodes = list(ast.walk(made.node))
    named = any(isinstance(node, ast.Constant) and node.value == name for node in nodes)
    return named or any(
        isinstance(given, ast.Name) and given.id in row
        for node in nodes
        if isinstance(node, ast.Call)
        for given in (*node.args, *(word.value for word in node.keywords))
    )


def _mapped(before: Columns, call: LibraryObject) -> Columns:
    function = call.argument("function", 0)
    keys = set(_returned(function)) if isinstance(function, Function) else {None}
    columns = {key for key in keys if key is not None}
    if len(columns) < len(keys) or not keys:
        return OPEN
    removed = call.argument("remove_columns")
    if isinstance(removed, Unknown) and removed.part == "column_names":
        of, base = removed.of, call.base
        split_of_it = of is not None and of.base is base and of.of.endswith("]")
        made_alone = Columns(frozenset(columns), {}, frozenset(columns))
        return made_alone if of is base or split_of_it else OPEN
    if removed is None or (isinstance(removed, Plain) and removed.value is None):
        return _with(before, columns)
    names = names_in(removed)
    return OPEN if names is None else _with(_without(before, names), columns)


def _renamed(before: Columns, call: LibraryObject) -> Columns:
    pairs = renamed(call)
    if not pairs:
        return OPEN
    after = _with(_without(before, set(pairs)), set(pairs.values()))
    lost = {old: Lost("renamed", new) for old, new in pairs.items() if old not in pairs.values()}
    return Columns(after.only, {**after.gone, **lost}, after.there)


def _with(columns: Columns, names: set[str]) -> Columns:
    only = columns.only | names if columns.only is not None else None
    lost = {key: how for key, how in columns.gone.items() if key not in names}
    return Columns(only, lost, columns.there | names)


def _without(columns: Columns, names: set[str]) -> Columns:
    only = columns.only - names if columns.only is not None else None
    lost = {**columns.gone, **dict.fromkeys(names, Lost("removed"))}
    return Columns(only, lost, columns.there - names)


def _returned(function: Function) -> Iterator[str | None]:
    """The keys of the dictionaries that it returns; None for what is not known."""
    node = function.node
    if any(isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load)
           for inner in body_nodes(node)):  # fmt: skip
        yield None  # a row that it changes keeps what is put into it
    for value in returned_values(node):
        if not isinstance(value, ast.Dict):
            yield None
            continue
        for key in value.keys:
            is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
            yield key.value if is_text else None  # type: ignore[union-attr]
