"""Comprehensions, and the names that a class takes, by which some of them choose."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from trl_doctor.files.source import merging
from trl_doctor.files.source.objects import Class, Scope
from trl_doctor.files.source.operations import true
from trl_doctor.files.source.state import Question, State
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Table,
    Value,
)

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp
KINDS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}
COUNTS = frozenset({"range", "zip", "enumerate"})
"""Functions that only go over what they are given."""

CALLABLE = "inspect.signature"
OF_CLASS = ("__dataclass_fields__", "__annotations__")
FIELDS = "dataclasses.fields"
LIBRARIES = ("trl", "transformers")


def unread(state: State, node: ast.expr, scope: Scope) -> Value:
    """An expression that is not followed."""
    merging.loosen_all(state, node, scope)
    return state.unknown(node)


def comprehension(state: State, node: Comprehension, scope: Scope) -> Value:
    """The items of one that goes over known values, under conditions that are known."""
    first = node.generators[0]
    if isinstance(node, ast.GeneratorExp) and not _only_reads(first.iter):
        return unread(state, node, scope)
    over = state.evaluate(first.iter, scope)
    single = len(node.generators) == 1 and not first.ifs and isinstance(first.target, ast.Name)
    name = f"{ast.unparse(first.target)}.name"
    if single and ast.unparse(node.elt) == name and _asks(over, FIELDS):
        return _names(state, over) or unread(state, node, scope)
    items = _items(state, node, node.generators, over, scope)
    if items is None:
        return unread(state, node, scope)
    grows = isinstance(over, Many) and over.grows
    return Many(items, state.span(node), KINDS[type(node)], grows=grows)


def _only_reads(iterated: ast.expr) -> bool:
    """Whether a generator goes over something by a name, or counts.

    `p.numel() for p in model.parameters()` does nothing to a model.
    """
    calls = [node for node in ast.walk(iterated) if isinstance(node, ast.Call)]
    return all(isinstance(c.func, ast.Name) and c.func.id in COUNTS for c in calls) and not any(
        isinstance(node, ast.Attribute) for node in ast.walk(iterated)
    )


def _items(
    state: State,
    node: Comprehension,
    generators: Sequence[ast.comprehension],
    over: Value,
    scope: Scope,
) -> list[Value] | None:
    """The items that the generators give over a value, from the outermost; None if not known."""
    (first, *more) = generators
    outer = len(generators) == len(node.generators)
    known = isinstance(over, Many) and (outer or not over.grows) and not first.is_async
    if not isinstance(over, Many) or not known or not state.has_room(len(over.items), node.elt):
        return None
    items = list[Value]()
    for item in over.items:
        names = _bound(first.target, item)
        if names is None:
            return None
        inner = Scope(names, scope)
        tests = [true(state.evaluate(test, inner)) for test in first.ifs]
        if None in tests:
            return None
        if False in tests:
            continue
        if not more:
            items.append(state.evaluate(node.elt, inner))
            continue
        inside = _items(state, node, more, state.evaluate(more[0].iter, inner), inner)
        if inside is None:
            return None
        items += inside
    return items


def _bound(target: ast.expr, item: Value) -> dict[str, Value] | None:
    """The names of a turn, with their values; None where a value is not known to have parts."""
    if isinstance(target, ast.Name):
        return {target.id: item}
    parts = item.items if isinstance(item, Many) and item.kind != "set" else []
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(parts):
        return None
    names = dict[str, Value]()
    for element, part in zip(target.elts, parts, strict=True):
        inner = _bound(element, part)
        if inner is None:
            return None
        names |= inner
    return names


def dictionary(state: State, node: ast.DictComp, scope: Scope) -> Value:
    """`{key: value for key, value in table.items() if …}` of a dictionary that is known.

    An entry whose condition is not known is perhaps there.
    """
    (first, *more) = node.generators
    pair = first.target.elts if isinstance(first.target, ast.Tuple) else []
    over = first.iter.func if isinstance(first.iter, ast.Call) else None
    names = [name.id for name in pair if isinstance(name, ast.Name)]
    plain = isinstance(over, ast.Attribute) and over.attr == "items" and len(names) == 2
    held = state.evaluate(over.value, scope) if isinstance(over, ast.Attribute) and plain else None
    if more or first.is_async or not isinstance(held, Table):
        return unread(state, node, scope)
    if not state.has_room(len(held.entries), node):
        return unread(state, node, scope)
    table = Table({}, held.rest, state.span(node))
    for key, entry in held.entries.items():
        inner = Scope({names[0]: Plain(key), names[1]: entry.value}, scope)
        tests = [true(state.evaluate(test, inner)) for test in first.ifs]
        if False not in tests:
            _put(state, table, node, entry, inner, None in tests)
    return table


def _put(
    state: State, table: Table, node: ast.DictComp, entry: NamedValue, inner: Scope, unsure: bool
) -> None:
    """Put an entry into the new dictionary; `unsure` says that its condition is not known."""
    key, value = state.evaluate(node.key, inner), state.evaluate(node.value, inner)
    if not isinstance(key, Plain):
        table.rest = table.rest or state.unknown(node.key)
        return
    if unsure:
        asked = " and ".join(state.shown(test) for test in node.generators[0].ifs)
        value = state.unknown(node, f"it depends on `{asked}`")
    table.entries[key.value] = NamedValue(
        value, entry.name, entry.whole, entry.perhaps or unsure, entry.file, entry.option
    )


def taken(state: State, owner: Value, name: str) -> Many | None:
    """The names that a class takes, of the script, TRL or transformers; None if it is not asked.

    `inspect.signature(SFTConfig).parameters` and `SFTConfig.__dataclass_fields__`.
    """
    asks = name == "parameters" and _asks(owner, CALLABLE)
    asks = asks or (name in OF_CLASS and isinstance(owner, Outside | Class))
    return _names(state, owner) if asks else None


def _asks(value: Value, function: str) -> bool:
    return isinstance(value, LibraryObject) and value.of == function and len(value.arguments) == 1


def _names(state: State, value: Value) -> Many | None:
    of = value.arguments[0] if isinstance(value, LibraryObject) else value
    if isinstance(of, Class) and of.outside() is None and (fields := of.all_fields()):
        return Many([Plain(field) for field in fields], kind="set")
    name = of.name.removesuffix(".__init__") if isinstance(of, Outside) else ""
    if name.partition(".")[0] not in LIBRARIES:
        return None
    names = state.default(Question(name.rpartition(".")[2]))
    return names if isinstance(names, Many) else None
