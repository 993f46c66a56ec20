"""Values of a script as values of a run: JSON where they are known, a reason where they are not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.partly import Partly
from trl_doctor.files.source.objects import Instance
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)

LIBRARIES = ("torch.", "jnp.", "numpy.")

CHOICES = re.compile(
    r"transformers\.(?:\w+\.)*(?:\w+Strategy|SchedulerType)"
    r"\.(?P<member>(?!REDUCE_)[A-Z]\w*)(?:\.value)?"
)
"""Members of transformers' enumerations whose values are their names in small letters."""

TASKS = re.compile(r"peft\.(?:\w+\.)*TaskType\.(?P<member>[A-Z_0-9]+)(?:\.value)?")
"""Members of PEFT's enumeration, whose values are their names."""


def json_of(state: State, key: str, value: Value) -> Json:
    """The value of an argument; raises `Unavailable` with the reason and the line."""
    if isinstance(value, Plain):
        return (
            value.value.decode(errors="replace") if isinstance(value.value, bytes) else value.value
        )
    if isinstance(value, Many):
        return [json_of(state, key, item) for item in value.items]
    if isinstance(value, Table):
        return table(state, key, value)
    if isinstance(value, Outside) and value.name.startswith(LIBRARIES):
        return value.name.rpartition(".")[2]
    if isinstance(value, Outside) and (choice := CHOICES.fullmatch(value.name)):
        return choice["member"].lower()
    if isinstance(value, Outside) and (task := TASKS.fullmatch(value.name)):
        return task["member"]
    if isinstance(value, LibraryObject) and value.short.endswith("Config"):
        parts = {**value.keywords, **value.attributes}
        return entries(state, key, parts, _because(state, value.rest))
    if isinstance(value, Instance) and "value" in value.attributes:  # a member of an Enum
        return json_of(state, key, value.attributes["value"].value)
    raise unavailable(state, key, value)


def table(state: State, key: str, value: Table) -> Partly[Json]:
    """A dictionary, of which some values may stay unknown."""
    cells = {str(name): entry for name, entry in value.entries.items()}
    return entries(state, key, cells, _because(state, value.rest))


def entries(
    state: State,
    key: str,
    values: Mapping[str, NamedValue],
    rest: Unavailable | None = None,
    complete: frozenset[str] = frozenset(),
) -> Partly[Json]:
    """Named values as a mapping; `rest` and `complete` are those of the mapping."""
    plain = dict[str, Json]()
    unknown, perhaps = dict[str, Unavailable](), dict[str, Unavailable]()
    for name, entry in values.items():
        full_name = f"{key}.{name}" if key and name else key or name
        try:
            value = json_of(state, full_name, entry.value)
        except Unavailable as reason:
            (perhaps if entry.perhaps else unknown)[name] = reason
        else:
            if entry.perhaps:
                perhaps[name] = Unavailable("a line that perhaps does not run takes it away")
            else:
                plain[name] = value
    return Partly(plain, unknown, rest, complete, perhaps)


def _because(state: State, rest: Unknown | None) -> Unavailable | None:
    return Unavailable(as_clause(state, rest)) if rest is not None else None


NAMES = {"dataset_name": "the data set"}
"""Keys of run files that stand for what a script has under another name, in words."""

ROWS_UNKNOWN = f"{NAMES['dataset_name']} is not known"
"""How the note begins that tells why a script's rows are not known by a name."""


def unavailable(state: State, key: str, value: Value | None) -> Unavailable:
    """Why a value of a run is not known."""
    return Undecided(f"{NAMES.get(key, key)} is not known: {as_clause(state, value)}")


def as_clause(state: State, value: Value | None) -> str:
    """What a value is, as a clause with its line: "it is `f(x)` (line 3)"."""
    span = place_of(value)
    at = f" ({state.place(span)})" if span else ""
    if isinstance(value, Unknown):
        return value.why + ("" if at.strip() and at.strip() in value.why else at)
    if isinstance(value, Outside):
        return f"it is {value.name}{at}"
    if isinstance(value, LibraryObject):
        return f"{value.of} creates it{at}"
    return f"the script creates it{at}"


def place_of(value: Value | None) -> Span | None:
    """Where a value is written."""
    return getattr(value, "span", None)
