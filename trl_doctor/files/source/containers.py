"""Methods of texts, lists and dictionaries in a script."""

from __future__ import annotations

import ast
import posixpath
import re
from typing import Any

from trl_doctor.files.source import merging, operations
from trl_doctor.files.source.objects import Class, Function, Instance
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Keywords, Many, NamedValue, Plain, Table, Value

TEXT = frozenset([
    "lower", "upper", "strip", "lstrip", "rstrip", "replace", "split", "startswith", "endswith",
    "join", "format", "removeprefix", "removesuffix", "rsplit", "partition", "rpartition",
    "title", "capitalize", "dedent", "casefold", "count", "find", "isalpha", "isdigit", "islower",
    "isspace", "isupper", "rfind", "splitlines", "swapcase", "zfill",
])  # fmt: skip

CHANGING = frozenset(["append", "extend", "insert", "pop", "remove", "clear"])
"""Methods that change the number of items of a list."""

PATHS = frozenset(["joinpath", "resolve", "absolute", "as_posix"])
"""Methods of a path that lead to the same file, or to one below it: a text has none of them."""


LARGEST = 100 * operations.MOST
WIDE = re.compile(r":[^}]*\d{5}")
"""Characters that a method may have to make, and a width in a format that is more than any text."""

DEEPEST = 8
"""Objects inside objects that are opened: one may hold itself."""


def as_table(value: Value, depth: int = 0) -> Table | None:
    """A dictionary of a value that holds settings by name, also of those inside; None for others.

    Of a class these are the defaults of its fields.
    """
    if isinstance(value, Instance):
        entries, rest = value.attributes, value.rest
    elif isinstance(value, Class):
        entries, rest = {**_constants(value), **value.all_fields()}, None
    else:
        return value if isinstance(value, Table) else None
    return Table({key: _inside(entry, depth) for key, entry in entries.items()}, rest)


def attributes_of(value: Instance) -> Table:
    """The dictionary of an object's attributes; what is done to it can add others."""
    value.closed = False
    return Table(dict(value.attributes), value.rest)


def _constants(cls: Class) -> dict[str, NamedValue]:
    members = cls.all_members().items()
    return {name: NamedValue(value) for name, value in members if not isinstance(value, Function)}


def _inside(entry: NamedValue, depth: int) -> NamedValue:
    opens = isinstance(entry.value, Instance) and depth < DEEPEST
    table = as_table(entry.value, depth + 1) if opens else None
    return entry if table is None else NamedValue(table, entry.name, entry.whole)


def method(
    state: State,
    owner: Plain | Many | Table,
    name: str,
    values: list[Value],
    keywords: Keywords,
    node: ast.Call,
) -> Value:
    """The value of a method of a text, a list or a dictionary, which it may change."""
    if isinstance(owner, Table):
        return _of_table(state, owner, name, values, keywords, node)
    if isinstance(owner, Many):
        return _of_list(state, owner, name, values, node)
    plain = [value.value for value in values if isinstance(value, Plain)]
    if isinstance(owner.value, str) and name in PATHS and len(plain) == len(values):
        return Plain(posixpath.join(owner.value, *map(str, plain)), state.span(node))
    if name == "join" and len(values) == 1 and isinstance(values[0], Many) and not values[0].grows:
        inner = [item.value for item in values[0].items if isinstance(item, Plain)]
        if len(str(owner.value)) * len(inner) > LARGEST:
            return state.unknown(node)
        if len(inner) == len(values[0].items) and isinstance(owner.value, str):
            return Plain(owner.value.join(map(str, inner)), state.span(node))
    if isinstance(owner.value, str) and name in TEXT and len(plain) == len(values):
        texts = {
            key: value.value.value
            for key, value in keywords.items()
            if isinstance(value.value, Plain)
        }
        if len(texts) == len(keywords) and not (name == "format" and "{:" in owner.value):
            return _texts(state, owner.value, name, plain, texts, node)
    return state.unknown(node)


def _of_list(state: State, owner: Many, name: str, values: list[Value], node: ast.Call) -> Value:
    """Where a line is perhaps not run, or often, the number of items is not known after it."""
    if name == "keys":
        return owner  # the names that a class takes
    if name not in CHANGING:
        return state.unknown(node)
    owner.literal = False
    if name == "append" and values:
        owner.items.append(values[0] if not state.guards else state.unknown(node))
        owner.grows = owner.grows or bool(state.guards)
        return Plain(None)
    room = not values or len(owner.items) + len(getattr(values[0], "items", ())) < operations.MOST
    if name == "extend" and values and isinstance(values[0], Many) and room and not state.guards:
        owner.items += values[0].items
        owner.grows = owner.grows or values[0].grows
        return Plain(None)
    owner.grows = True
    return state.unknown(node)


def _texts(
    state: State, text: str, name: str, values: list[Any], texts: dict[str, Any], node: ast.Call
) -> Value:
    longest = max((len(value) for value in values if isinstance(value, str)), default=0)
    if (name == "replace" and (len(text) + 1) * longest > LARGEST) or (
        name == "format" and WIDE.search(text)
    ):
        return state.unknown(node)
    try:
        result = getattr(text, name)(*values, **texts)
    except (TypeError, ValueError, LookupError, AttributeError):
        return state.unknown(node)
    if isinstance(result, list | tuple):
        return Many([Plain(part) for part in result], state.span(node))
    return (
        Plain(result, state.span(node))
        if len(str(result)) <= operations.MOST
        else state.unknown(node)
    )


def _of_table(
    state: State, owner: Table, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    key = values[0].value if values and isinstance(values[0], Plain) else None
    if name in ("get", "pop", "setdefault") and isinstance(key, str):
        entry = owner.entries.get(key)
        if name == "pop" and entry:
            merging.take(owner, key, entry.value if state.guards else None)
        if entry is not None:
            return entry.value
        return owner.rest or (values[1] if len(values) > 1 else Plain(None))
    if name in merging.TAKES:
        merging.loosen(owner, state.unknown(node))
    if name == "update":
        return _updated(state, owner, values, keywords, node)
    if name in ("keys", "values", "items") and (held := merging.parts(name, owner)) is not None:
        return held
    if name == "copy":
        return Table(dict(owner.entries), owner.rest, owner.span)
    return state.unknown(node)


def _updated(
    state: State, owner: Table, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    """`update(…)`: what is not known may replace any of the entries."""
    other = values[0] if values else Table({})
    owner.literal = False
    if not isinstance(other, Table):
        merging.blur(owner, state.unknown(node))
    elif state.guards:
        owner.rest = state.unknown(node)
        for name in {*other.entries, *keywords} & owner.entries.keys():
            owner.entries[name] = NamedValue(owner.rest, None, state.span(node))
    else:
        owner.entries.update(other.entries)
        owner.entries.update(keywords)
        owner.rest = owner.rest or other.rest
    return Plain(None)
