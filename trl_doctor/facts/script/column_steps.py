"""The calls of a script that only rename, drop or choose columns of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trl_doctor.files.source.values import LibraryObject, Many, Table, Value, text_in

RENAMES, REMOVES, SELECTS = ("rename_column", "rename_columns"), "remove_columns", "select_columns"


class ColumnStep(Struct, frozen=True):
    """One such call: `names` are the columns that it names, each with the name it has then."""

    how: Literal["rename", "remove", "select"]
    names: Mapping[str, str]


def step_of(call: LibraryObject) -> ColumnStep | None:
    """What a call does to columns; None for any other call, or where the names are not known."""
    if call.rest is not None:
        return None
    if call.short in RENAMES:
        pairs = renamed(call)
        return ColumnStep("rename", pairs) if pairs else None
    names = names_in(call.argument("column_names", 0)) or ()
    if not names or call.short not in (REMOVES, SELECTS):
        return None
    return ColumnStep(
        "remove" if call.short == REMOVES else "select", {name: name for name in sorted(names)}
    )


def steps_of(rows: Value | None) -> tuple[ColumnStep, ...]:
    """What the chain of calls that makes a data set does to its columns, in order."""
    steps = []
    while isinstance(rows, LibraryObject):
        if (step := step_of(rows)) is not None:
            steps.append(step)
        rows = rows.base
    return tuple(reversed(steps))


def renamed(call: LibraryObject) -> Mapping[str, str]:
    """The new name of each column by its old one; empty where not all are known."""
    pairs: dict[str, str] = {}
    if call.short == RENAMES[0]:
        old, new = (text_in(call.argument(key, n)) for n, key in
                    enumerate(("original_column_name", "new_column_name")))  # fmt: skip
        pairs = {old: new} if old and new else {}
    else:
        table = call.argument("column_mapping", 0)
        if isinstance(table, Table) and table.rest is None:
            pairs = {str(old): text_in(new.value) for old, new in table.entries.items()}
    return pairs if all(pairs.values()) else {}


def names_in(value: Value | None) -> set[str] | None:
    """The names that a value lists; None where they are not known."""
    items = value.items if isinstance(value, Many) else [value]
    names = {text_in(item) for item in items}
    return None if "" in names or (isinstance(value, Many) and value.grows) else names
