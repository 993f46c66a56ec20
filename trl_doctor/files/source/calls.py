"""What a call in a script is known to return, and what it does to objects of libraries."""

from __future__ import annotations

import ast

from trl_doctor.files.source import attributes, builtin, containers, functions, parsers
from trl_doctor.files.source.objects import Arguments, Class, Function, Instance, Parser, Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Deed,
    Given,
    Made,
    Many,
    Outside,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)

SAME = frozenset(
    {"to", "cuda", "cpu", "eval", "train", "bfloat16", "half", "float", "requires_grad_"}
)
"""Methods of a model that return the model."""

ENTRIES = (
    "fire.Fire",
    "typer.run",
    "tyro.cli",
    "hydra.main",
    "asyncio.run",
    "app.run",
    "absl.app.run",
)
"""What calls the function that it is given, with arguments of the command line."""


def call(state: State, node: ast.Call, scope: Scope) -> Value:
    """The value of a call."""
    if isinstance(node.func, ast.Attribute):
        if found := _of_super(state, node, scope):
            return found
        owner = state.evaluate(node.func.value, scope)
        said = arguments(state, node, scope)
        found = _method(state, owner, node.func.attr, said, node)
        if found is not None:
            return found
        callee = attributes.attribute(state, owner, node.func.attr, node.func)
    else:
        callee = state.evaluate(node.func, scope)
        said = arguments(state, node, scope)
    return apply(state, callee, said, node)


def arguments(state: State, node: ast.Call, scope: Scope) -> Arguments:
    """The arguments of a call, `*` and `**` opened where they are known."""
    said = Arguments([], {})
    for one in node.args:
        if isinstance(one, ast.Starred):
            inner = state.evaluate(one.value, scope)
            if isinstance(inner, Many):
                said.values += inner.items
            else:
                said.rest = _open(state, inner, one.value, "*")
        else:
            said.values.append(state.evaluate(one, scope))
    for keyword in node.keywords:
        value = state.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            whole = state.span(keyword)
            name = Span(
                whole.source,
                whole.line,
                whole.column,
                whole.line,
                whole.column + len(keyword.arg.encode()),
            )
            said.given[keyword.arg] = Given(value, name, whole)
        elif isinstance(value, Table):
            said.given.update({str(key): held for key, held in value.entries.items()})
            said.rest = said.rest or value.rest
        else:
            said.rest = _open(state, value, keyword.value, "**")
    return said


def _open(state: State, value: Value, node: ast.expr, stars: str) -> Unknown:
    shown = f"{stars}{state.shown(node)}"
    more = f": {value.why}" if isinstance(value, Unknown) else ""
    return Unknown(f"`{shown}` may hold it{more}", state.span(node))


def apply(state: State, callee: Value, said: Arguments, node: ast.Call) -> Value:
    """What calling a value returns."""
    if isinstance(callee, Outside):
        return _outside(state, callee.name, said, node)
    if isinstance(callee, Function):
        return functions.function(state, callee, said, node)
    if isinstance(callee, Class):
        return functions.instance(state, callee, said, node)
    if isinstance(callee, Made):
        return state.new(f"{callee.of}.__call__", node, said.values, said.given, said.rest, callee)
    if isinstance(callee, Instance) and callee.cls:
        member = callee.cls.member("__call__")
        if isinstance(member, Function):
            return functions.function(state, functions.owned(member, callee), said, node)
    return state.unknown(node)


def _outside(state: State, name: str, said: Arguments, node: ast.Call) -> Value:
    found = builtin.call(state, name, said.values, said.given, node)
    if found is not None:
        return found
    if name.endswith(ENTRIES) and said.values and isinstance(said.values[0], Function):
        return functions.enter(state, said.values[0], node)
    short = name.rpartition(".")[2]
    if short in ("HfArgumentParser", "TrlParser") or name == "trl.TrlParser":
        return parsers.of_classes(state, name, said.values, said.given, node)
    if name == "argparse.ArgumentParser":
        return parsers.of_options(state, node)
    return state.new(name, node, said.values, said.given, said.rest)


def _method(state: State, owner: Value, name: str, said: Arguments, node: ast.Call) -> Value | None:
    """What a method returns; None where the owner is nothing that has known methods."""
    if isinstance(owner, Parser):
        return parsers.method(state, owner, name, said.values, said.given, node)
    if isinstance(owner, Made):
        return _of_made(state, owner, name, said, node)
    if isinstance(owner, Plain) and name == "read_text":
        return builtin.text_of(state, owner, node) or state.unknown(node)
    if isinstance(owner, Plain | Many | Table):
        return containers.method(state, owner, name, said.values, said.given, node)
    if isinstance(owner, Unknown) and owner.of is not None:
        return Unknown(f"it is `{state.shown(node)}`", state.span(node))
    return None


def _of_made(state: State, owner: Made, name: str, said: Arguments, node: ast.Call) -> Value:
    span = state.span(node)
    if name == "append" and said.values:
        name = "append"
    deed = Deed(name, said.values, said.given, span, tuple(state.guards), said.rest)
    owner.deeds.append(deed)
    if name in SAME:
        return owner
    opened = name == "read" and owner.of == "builtins.open" and not said.values
    if opened and (text := builtin.text_of(state, owner, node)):
        return text
    deed.result = state.new(f"{owner.of}.{name}", node, said.values, said.given, said.rest, owner)
    return deed.result


def _of_super(state: State, node: ast.Call, scope: Scope) -> Value | None:
    """`super().method(…)` of a class of the script."""
    assert isinstance(node.func, ast.Attribute)
    inner = node.func.value
    if not (
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id == "super"
    ):
        return None
    owner = scope.find("self")
    if not isinstance(owner, Instance) or owner.cls is None:
        return state.unknown(node)
    for base in owner.cls.bases:
        member = base.member(node.func.attr) if isinstance(base, Class) else None
        if isinstance(member, Function):
            return functions.function(
                state, functions.owned(member, owner), arguments(state, node, scope), node
            )
    return state.unknown(node)
