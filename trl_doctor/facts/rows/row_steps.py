"""The calls by which a script makes new rows of others, or takes the first of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.facts.script.column_steps import names_in
from trl_doctor.facts.script.data import KEEPS
from trl_doctor.facts.script.passed import switch
from trl_doctor.files.source.exact import takes_rows
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)

HARMLESS = frozenset({"function", "remove_columns", "desc", "num_proc", "load_from_cache_file",
                      "keep_in_memory", "writer_batch_size", "new_fingerprint", "fn_kwargs",
                      "batched", "batch_size"})  # fmt: skip
"""Arguments of `map` and `filter` that change no row, or are read here."""


class Step(Struct, frozen=True):
    """A `map`, or a `filter`, and the columns that it removes; all of them where `alone`.

    The function gets `more` by name. Where it is `batched` it gets a dictionary of columns.
    """

    function: Function
    filters: bool
    span: Span
    more: Mapping[str, Value] = {}
    batched: bool = False
    removes: frozenset[str] = frozenset()
    alone: bool = False


class First(Struct, frozen=True):
    """Only so many rows from the first on are taken."""

    number: int


def step_with_function(call: LibraryObject, pieces: Sequence[Piece]) -> Step | None:
    """A `map` or `filter` whose function can be followed; None for any other call."""
    filters = call.short == "filter"
    function = call.argument("function", 0) if call.short in ("map", "filter") else None
    if not isinstance(function, Function):
        return None
    if call.rest is not None or len(call.arguments) > 1 or not HARMLESS.issuperset(call.keywords):
        return None
    more = _more(call)
    if more is None or not takes_rows(function, pieces, more):
        return None
    removed = call.argument("remove_columns")
    step = Step(function, filters, call.span, more, switch(call, "batched"))
    if removed is None or (isinstance(removed, Plain) and removed.value is None):
        return step
    if isinstance(removed, Unknown) and removed.part == "column_names":
        same = _columns_of(removed.of) is _columns_of(call.base)
        return replace(step, alone=True) if removed.of and same else None
    names = names_in(removed)
    return replace(step, removes=frozenset(names)) if names is not None else None


def _more(call: LibraryObject) -> dict[str, Value] | None:
    """What a function gets beside the row; None if that is not known, or may change."""
    given = call.argument("fn_kwargs")
    if given is None:
        return {}
    if not isinstance(given, Table) or given.rest is not None:
        return None
    entries = given.entries.items()
    if not all(isinstance(e.value, Plain | LibraryObject) and not e.perhaps for _, e in entries):
        return None
    return {str(name): entry.value for name, entry in entries}


def _columns_of(rows: LibraryObject | None) -> LibraryObject | None:
    """The data set that has the same columns, before rows were chosen or moved."""
    while rows is not None and rows.base is not None:
        if rows.short != "filter" and rows.short not in KEEPS and "[" not in rows.short:
            break
        rows = rows.base
    return rows


def first_of(call: LibraryObject) -> First | None:
    """How many of the first rows a call takes; None where it takes others, or that is not known."""
    given = call.argument("indices" if call.short == "select" else "n", 0)
    if call.rest is not None or len(call.arguments) + len(call.keywords) != 1:
        return None
    if call.short == "take" and isinstance(given, Plain) and isinstance(given.value, int):
        return First(given.value)
    is_range = call.short == "select" and isinstance(given, Many) and given.kind == "range"
    if is_range and isinstance(given, Many):
        numbers = [item.value for item in given.items if isinstance(item, Plain)]
        return First(len(numbers)) if numbers == list(range(len(numbers))) else None
    return None
