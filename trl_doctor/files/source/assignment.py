"""What an assignment of a script changes: names, attributes and items."""

from __future__ import annotations

import ast

from trl_doctor.files.source import attributes, merging
from trl_doctor.files.source.objects import Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, NamedValue, Outside, Plain, Table, Value


def assign(state: State, target: ast.expr, value: Value, scope: Scope, node: ast.AST) -> None:
    """Give a value to a name, an attribute, an item or several names."""
    if isinstance(target, ast.Name):
        scope.names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        parts = attributes.unpacked(state, value, len(target.elts), node)
        for element, part in zip(target.elts, parts, strict=True):
            assign(state, element, part, scope, node)
    elif isinstance(target, ast.Starred):
        assign(state, target.value, state.unknown(node), scope, node)
    elif isinstance(target, ast.Attribute):
        owner = state.evaluate(target.value, scope)
        attributes.set_attribute(state, owner, target.attr, value, node)
    elif isinstance(target, ast.Subscript):
        owner = state.evaluate(target.value, scope)
        key = state.evaluate(target.slice, scope)
        _set_item(state, owner, key, value, node)


def _set_item(state: State, owner: Value, key: Value, value: Value, node: ast.AST) -> None:
    plain = key.value if isinstance(key, Plain) else None
    if isinstance(owner, Outside) and owner.name == "os.environ" and isinstance(plain, str):
        state.set_variables[plain] = NamedValue(value, None, state.span(node))
    elif isinstance(owner, Outside) and owner.name == "sys.modules" and isinstance(plain, str):
        state.patched.add(plain)
    elif isinstance(owner, Table):
        owner.literal = False
        if isinstance(plain, str | int) and not state.guards:
            owner.entries[plain] = NamedValue(value, None, state.span(node))
        elif isinstance(plain, str | int):
            why = f"it depends on `{state.guards[-1].text}`"
            before = owner.entries.get(plain)
            perhaps = before is None or before.perhaps
            owner.entries[plain] = NamedValue(
                state.unknown(node, why), None, state.span(node), perhaps=perhaps
            )
        else:
            merging.blur(owner, state.unknown(node))
    elif isinstance(owner, Many):
        owner.items[:] = [state.unknown(node) for _ in owner.items]
