"""Values of a script as values of a run: JSON where they are known, a reason where they are not."""

from __future__ import annotations

import re

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.partly import Partly
from trl_doctor.files.source.objects import Instance
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
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
    if isinstance(value, LibraryObject) and value.short.endswith("Config"):
        parts = {name: part.value for name, part in {**value.keywords, **value.attributes}.items()}
        return entries(state, key, parts, value.rest)
    if isinstance(value, Instance) and "value" in value.attributes:  # a member of an Enum
        return json_of(state, key, value.attributes["value"].value)
    raise unavailable(state, key, value)


def table(state: State, key: str, value: Table) -> Partly[Json]:
    """A dictionary, of which some values may stay unknown."""
    cells = {str(name): entry.value for name, entry in value.entries.items()}
    return entries(state, key, cells, value.rest)


def entries(
    state: State, key: str, values: dict[str, Value], rest: Unknown | None = None
) -> Partly[Json]:
    """Named values as a mapping."""
    plain: dict[str, Json] = {}
    unknown: dict[str, Unavailable] = {}
    for name, value in values.items():
        try:
            plain[name] = json_of(state, f"{key}.{name}" if key and name else key or name, value)
        except Unavailable as reason:
            unknown[name] = reason
    more = Unavailable(as_clause(state, rest)) if rest is not None else None
    return Partly(plain, unknown, more)


def unavailable(state: State, key: str, value: Value | None) -> Unavailable:
    """Why a value of a run is not known."""
    return Undecided(f"{key} is not known: {as_clause(state, value)}")


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
