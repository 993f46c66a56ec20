"""Copies of values: what `list`, `sorted` and `copy` make of them."""

from __future__ import annotations

import ast
import textwrap

import msgspec

from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Keywords, LibraryObject, Many, Plain, Table, Value

TAKES_AS_IS = "datasets.Dataset.from_list"
"""What the script does to its list after this call changes no row."""


def copied(state: State, name: str, value: Value, node: ast.Call) -> Value:
    """A copy of a value, as far as it is known; a set may leave out an item that a list has twice.

    Of a model or a tokenizer that a library loads there is a second one.
    """
    loads = isinstance(value, LibraryObject) and value.short in ("from_pretrained", "from_config")
    if loads and name == "copy.deepcopy":
        return state.new(name, node, [value], {})
    if name in ("builtins.list", "builtins.tuple", "builtins.sorted"):
        return _listed(state, name, value, node)
    if name in ("copy.copy", "copy.deepcopy"):
        return copy(value, name == "copy.deepcopy") or state.unknown(node)
    if name == "textwrap.dedent" and isinstance(value, Plain) and isinstance(value.value, str):
        return Plain(textwrap.dedent(value.value), value.span)
    known = isinstance(value, Plain | Many | Table)
    if name == "builtins.set":
        known = isinstance(value, Many) and value.kind == "set"
    return value if known else state.unknown(node)


def copy(value: Value, deep: bool) -> Value | None:
    """Another list or dictionary with the same in it, or with copies of that; None for others."""
    if not isinstance(value, Many | Table):
        return value if isinstance(value, Plain) else None
    new = _shallow(value)
    known: dict[int, Many | Table] = {id(value): new}
    following = [new] if deep else []
    while following:
        held = following.pop()
        parts = held.items if isinstance(held, Many) else [e.value for e in held.entries.values()]
        for part in parts:
            if isinstance(part, Many | Table) and id(part) not in known:
                known[id(part)] = _shallow(part)
                following.append(known[id(part)])
        if isinstance(held, Many):
            held.items = [known.get(id(part), part) for part in parts]
        else:
            for entry in held.entries.values():
                entry.value = known.get(id(entry.value), entry.value)
    return new


def _shallow(value: Many | Table) -> Many | Table:
    if isinstance(value, Many):
        return Many(list(value.items), value.span, value.kind, value.literal, value.grows)
    entries = {key: msgspec.structs.replace(entry) for key, entry in value.entries.items()}
    return Table(entries, value.rest, value.span, value.literal)


def _listed(state: State, name: str, value: Value, node: ast.Call) -> Value:
    """A new list of the items of a value; not known where they are put into an order by a key."""
    if (
        isinstance(value, Table)
        and value.rest is None
        and not any(entry.perhaps for entry in value.entries.values())
    ):
        value = Many([Plain(key) for key in value.entries], value.span)
    if not isinstance(value, Many):
        return state.unknown(node)
    kind = "tuple" if name == "builtins.tuple" else "list"
    items = list(value.items)
    if name == "builtins.sorted":
        plain = [item.value for item in items if isinstance(item, Plain)]
        try:
            order = sorted(range(len(items)), key=plain.__getitem__)  # type: ignore[arg-type]
        except (TypeError, IndexError):
            order = []
        if len(order) < len(items) > 1 or (node.keywords and len(items) > 1):
            return state.unknown(node)
        items = [items[at] for at in order] or items
    return Many(items, value.span, kind, grows=value.grows)


def taken(name: str, values: list[Value], keywords: Keywords) -> tuple[list[Value], Keywords]:
    """The values that something outside gets, as they are now where it keeps no list itself."""
    if name != TAKES_AS_IS:
        return values, keywords
    return [copy(value, True) or value for value in values], {
        key: msgspec.structs.replace(entry, value=copy(entry.value, True) or entry.value)
        for key, entry in keywords.items()
    }
