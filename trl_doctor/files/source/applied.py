"""What a function of a script gives for a value: read, and not run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, SupportsIndex

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.source import expressions, functions, statements
from trl_doctor.files.source.exact import with_called
from trl_doctor.files.source.objects import Arguments, Function, Instance
from trl_doctor.files.source.state import FromLibrary, State, TooMuch, many_frames
from trl_doctor.files.source.steady import LOADS
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    Guard,
    LibraryObject,
    Many,
    NamedValue,
    Plain,
    Table,
    Unknown,
    Value,
)

MOST_PARTS = 50_000
"""Cells that a row may have, or all rows of a script; steps that the code of a row may take."""

MOST_HELD = 2_000
"""Values that a function may read of its script, those inside of lists and dictionaries too."""

OTHERS = Unknown("another row may have it")
"""What a row has under a key that it lacks: the library gives each row the keys of all."""


class Open(Exception):
    """What the function gives depends on something that is not known."""


class _Certain(list[Guard]):
    """The conditions of a reading: one that is not known ends it."""

    def append(self, guard: Guard) -> None:
        raise Open

    def insert(self, index: SupportsIndex, guard: Guard) -> None:
        raise Open


class Applied(Struct, frozen=True):
    """What a function gives for a row, and the row after that; `same` if it gives the row back."""

    result: Json
    row: dict[str, Json]
    same: bool
    steps: int = 0


def applied(
    callee: Function,
    row: Mapping[str, Json],
    pieces: Sequence[Piece],
    more: Mapping[str, Value] | None = None,
    library: FromLibrary | None = None,
) -> Applied:
    """What the function gives for a row; None also where it returns nothing.

    `pieces` are those of the script, `more` the arguments that it gets beside the row, `library`
    says what the objects of libraries give. Raises `Unavailable` if all that is not certain.
    """
    path = pieces[callee.source].path
    state = State(
        path.parent, (), {}, lambda question: None, expressions.evaluate, statements.block,
        list(pieces), guards=_Certain(), starts=(path.parent,), source=callee.source,
        most=MOST_PARTS, library=partial(_given, library), exact=True,
    )  # fmt: skip
    held = list[tuple[Many | Table, Any]]()
    try:
        with many_frames():
            given, read = _value(row), with_called(callee)
            assert isinstance(given, Table)
            held = _held(read)
            named = {name: NamedValue(value) for name, value in (more or {}).items()}
            result = functions.function(state, callee, Arguments([given], named), callee.node)
            exact = state.called <= {node for f in read for node in ast.walk(f.node)}
            if state.raised is not None or state.made or not exact or _changed(held):
                raise Open
            left = [MOST_PARTS]
            row_after, answer = _part(given, left), _part(result, left)
            assert isinstance(row_after, dict)
            return Applied(answer, row_after, result is given, state.steps + MOST_PARTS - left[0])
    except (Open, TooMuch, RecursionError):
        raise Unavailable(f"what {callee.name} makes of a row is not known") from None
    finally:
        _restore(held)


def _given(
    library: FromLibrary | None, owner: LibraryObject, name: str, handed: Arguments | None
) -> Value | None:
    """What an object of a library gives; of one that is loaded nothing else is certain."""
    value = library(owner, name, handed) if library else None
    if value is None and (handed is not None or owner.short == LOADS):
        raise Open
    return value


def _held(read: Sequence[Function]) -> list[tuple[Many | Table, Any]]:
    """The lists and dictionaries of the script that functions can reach, and what is in them."""
    names = ((f, n) for f in read for n in ast.walk(f.node) if isinstance(n, ast.Name))
    open_values = [value for f, n in names if (value := f.scope.find(n.id)) is not None]
    open_values += [f.owner for f in read if f.owner is not None]
    held, seen = list[tuple[Many | Table, Any]](), set[int]()
    while open_values:
        value = open_values.pop()
        if id(value) in seen or not isinstance(value, Many | Table | Instance):
            continue
        seen.add(id(value))
        if isinstance(value, Many):
            held.append((value, (list(value.items), value.grows)))
            open_values += value.items
        else:
            entries = value.attributes if isinstance(value, Instance) else value.entries
            if isinstance(value, Table):
                held.append((value, (dict(entries), value.rest)))
            open_values += [entry.value for entry in entries.values()]
        if len(seen) + len(open_values) > MOST_HELD:
            raise Open
    return held


def _now(value: Many | Table) -> tuple[Any, Any]:
    if isinstance(value, Many):
        return value.items, value.grows
    return value.entries, value.rest


def _changed(held: Sequence[tuple[Many | Table, Any]]) -> bool:
    return any(_now(value) != before for value, before in held)


def _restore(held: Sequence[tuple[Many | Table, Any]]) -> None:
    for value, (inside, more) in held:
        if isinstance(value, Many):
            value.items, value.grows = inside, more
        else:
            value.entries, value.rest = inside, more


def rows_in(value: Value | None) -> tuple[dict[str, Json], ...]:
    """The rows that a list of the script holds; none if a part of them is not known."""
    try:
        rows = json_of(value) if isinstance(value, Many) else None
    except (Open, RecursionError):
        return ()
    whole = tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
    return whole if isinstance(rows, list) and len(whole) == len(rows) else ()


def _value(cell: object) -> Value:
    if isinstance(cell, Mapping):
        return Table({key: NamedValue(_value(part)) for key, part in cell.items()}, OTHERS)
    if isinstance(cell, list):
        return Many([_value(part) for part in cell])
    assert cell is None or isinstance(cell, bool | int | float | str)
    return Plain(cell)


def json_of(value: Value) -> Json:
    """A value as JSON; where a part of it is not known, that ends what is read of a row."""
    return _part(value, [MOST_PARTS])


def _part(value: Value, left: list[int]) -> Json:
    """A value as JSON; `left` counts: a small list may hold itself, or another one very often."""
    left[0] -= 1
    if left[0] < 0:
        raise Open
    if isinstance(value, Plain) and not isinstance(value.value, bytes):
        return value.value
    if isinstance(value, Many) and value.kind in ("list", "tuple") and not value.grows:
        return [_part(item, left) for item in value.items]
    if isinstance(value, Table) and (value.rest is None or value.rest is OTHERS):
        entries = value.entries.items()
        if not any(entry.perhaps or not isinstance(key, str) for key, entry in entries):
            return {str(key): _part(entry.value, left) for key, entry in entries}
    raise Open
