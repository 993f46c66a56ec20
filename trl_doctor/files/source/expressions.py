"""What an expression of a script is known to be."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from trl_doctor.files.source import (
    attributes,
    builtin,
    calls,
    comprehensions,
    interpolation,
    merging,
    operations,
)
from trl_doctor.files.source.joined import GIVEN
from trl_doctor.files.source.objects import Function, Instance, Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.text import UNKNOWN_NAME
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)


def evaluate(state: State, node: ast.expr | None, scope: Scope) -> Value:
    """The value of an expression; what cannot be known is `Unknown`."""
    state.step()
    if node is None:
        return Plain(None)
    kind = KINDS.get(type(node), comprehensions.unread)
    return kind(state, node, scope)


def _constant(state: State, node: ast.Constant, scope: Scope) -> Value:
    value = node.value
    if value is ... or isinstance(value, complex):
        return state.unknown(node)
    return Plain(value, state.span(node), True)


def _name(state: State, node: ast.Name, scope: Scope) -> Value:
    value = scope.find(node.id)
    if isinstance(value, Unknown) and value.of is not None and state.library:
        return state.library(value.of, value.part, None) or value
    if value is not None:
        return value
    if node.id == "__name__":
        return Plain("__main__" if state.main else "module")
    if node.id == "__file__":
        return Plain(str(state.pieces[state.source].path))
    if node.id in builtin.NAMES:
        return Outside(f"builtins.{node.id}", state.span(node))
    if node.id == UNKNOWN_NAME:
        return Unknown("a magic of the notebook gives it", state.span(node))
    return state.unknown(node, f"nothing in the script defines {node.id}")


def _attribute(state: State, node: ast.Attribute, scope: Scope) -> Value:
    return attributes.attribute(state, evaluate(state, node.value, scope), node.attr, node)


def _subscript(state: State, node: ast.Subscript, scope: Scope) -> Value:
    owner = evaluate(state, node.value, scope)
    if isinstance(node.slice, ast.Slice):
        return _slice(state, owner, node, scope)
    key = evaluate(state, node.slice, scope)
    if isinstance(owner, Outside) and owner.name == "os.environ" and isinstance(key, Plain):
        if not (state.trying or state.guards):
            state.read_variables.setdefault(str(key.value), state.span(node))
        return interpolation.variable(state, str(key.value), None, node)
    if isinstance(owner, Outside) and owner.name == "sys.argv":
        words = dict(enumerate(state.argv or (), 1))
        at = key.value if isinstance(key, Plain) else None
        word = words.get(at) if isinstance(at, int) else None
        if word is None and at and state.argv is None:
            state.parses = True
            return state.unknown(node, f"it comes from the command line (word {at!s}): {GIVEN}")
        return state.unknown(node) if word is None else Plain(word, state.span(node))
    if isinstance(owner, Outside):
        return owner  # a generic class
    if isinstance(key, Plain):
        if isinstance(owner, Table) and not isinstance(key.value, bytes):
            if key.value in owner.entries:
                return owner.entries[key.value].value
            return owner.rest or state.unknown(node)
        if isinstance(owner, Many) and isinstance(key.value, int):
            inside = -len(owner.items) <= key.value < len(owner.items)
            return owner.items[key.value] if inside else state.unknown(node)
        if isinstance(owner, LibraryObject) and isinstance(key.value, int | str):
            return attributes.part_of(state, owner, key.value, node)
        if isinstance(owner, Instance) and isinstance(key.value, str):
            return attributes.attribute(state, owner, key.value, node)
    if isinstance(owner, Unknown) and owner.of is None:
        return Unknown(owner.why, state.span(node))
    given = isinstance(key, Unknown) and GIVEN in key.why and isinstance(owner, Table)
    return state.unknown(node, key.why if given and isinstance(key, Unknown) else "")


def _slice(state: State, owner: Value, node: ast.Subscript, scope: Scope) -> Value:
    assert isinstance(node.slice, ast.Slice)
    ends = [evaluate(state, bound, scope) for bound in (node.slice.lower, node.slice.upper)]
    step = evaluate(state, node.slice.step, scope)
    bounds = [end.value for end in (*ends, step) if isinstance(end, Plain)]
    if len(bounds) == 3 and all(bound is None or isinstance(bound, int) for bound in bounds):
        cut: slice[Any, Any, Any] = slice(*bounds)
        if bounds[2] != 0:
            if isinstance(owner, Many):
                return Many(owner.items[cut], state.span(node), owner.kind, grows=owner.grows)
            if isinstance(owner, Plain) and isinstance(owner.value, str | bytes):
                return Plain(owner.value[cut], state.span(node))
    if isinstance(owner, LibraryObject):
        return state.new(f"{owner.of}.select", node, [], {}, base=owner)
    return state.unknown(node)


def _call(state: State, node: ast.Call, scope: Scope) -> Value:
    return calls.call(state, node, scope)


def _many(state: State, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
    kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
    items: list[Value] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = evaluate(state, element.value, scope)
            if not isinstance(inner, Many):
                return state.unknown(node)
            items += inner.items
        else:
            items.append(evaluate(state, element, scope))
    literal = not any(isinstance(element, ast.Starred) for element in node.elts) and all(
        map(_is_literal, items)
    )
    return Many(items, state.span(node), kind, literal)


def _is_literal(value: Value) -> bool:
    return isinstance(value, Plain | Many | Table) and value.literal


def _dict(state: State, node: ast.Dict, scope: Scope) -> Value:
    table = Table({}, None, state.span(node), True)
    for key, value in zip(node.keys, node.values, strict=True):
        entry = evaluate(state, value, scope)
        if key is None:
            table.literal = False
            _merge(state, table, entry, value)
            continue
        name = evaluate(state, key, scope)
        if not isinstance(name, Plain) or isinstance(name.value, bytes):
            table.literal, table.rest = False, state.unknown(key)
            continue
        start, end = state.span(key), state.span(value)
        whole = type(start)(start.source, start.line, start.column, end.end_line, end.end_column)
        table.entries[name.value] = NamedValue(entry, start, whole)
        table.literal = table.literal and _is_literal(entry)
    return table


def _merge(state: State, table: Table, other: Value, node: ast.AST) -> None:
    if isinstance(other, Table):
        table.entries.update(other.entries)
        table.rest = table.rest or other.rest
    else:
        why = other.why if isinstance(other, Unknown) else f"of `**{state.shown(node)}`"
        merging.blur(table, Unknown(why, state.span(node)))


def _text(state: State, node: ast.JoinedStr, scope: Scope) -> Value:
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(state, part.value, scope)
            if not isinstance(value, Plain) or isinstance(value.value, bytes):
                return state.unknown(node)
            form = evaluate(state, part.format_spec, scope)
            spec = str(form.value or "") if isinstance(form, Plain) else None
            if spec is None or (spec and not spec.replace(".", "").isalnum()) or len(spec) > 5:
                return state.unknown(node)
            shown = repr(value.value) if part.conversion == 114 else value.value
            try:
                parts.append(format(shown if shown is not None else "None", spec))
            except (ValueError, TypeError):
                return state.unknown(node)
        elif isinstance(part, ast.Constant):
            parts.append(str(part.value))
    return Plain("".join(parts), state.span(node))


def _lambda(state: State, node: ast.Lambda, scope: Scope) -> Value:
    return Function(node, scope, state.source)


def _named(state: State, node: ast.NamedExpr, scope: Scope) -> Value:
    value = evaluate(state, node.value, scope)
    scope.names[node.target.id] = value
    return value


def _await(state: State, node: ast.Await, scope: Scope) -> Value:
    return evaluate(state, node.value, scope)


KINDS: dict[type[ast.AST], Callable[[State, Any, Scope], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.List: _many,
    ast.Tuple: _many,
    ast.Set: _many,
    ast.Dict: _dict,
    ast.JoinedStr: _text,
    ast.BinOp: operations.binary,
    ast.UnaryOp: operations.unary,
    ast.BoolOp: operations.boolean,
    ast.Compare: operations.comparison,
    ast.IfExp: operations.choice,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Await: _await,
    ast.DictComp: comprehensions.dictionary,
    **dict.fromkeys(comprehensions.KINDS, comprehensions.comprehension),
}
