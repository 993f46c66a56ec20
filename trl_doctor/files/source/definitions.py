"""The functions and classes that a script defines, and the fields of its dataclasses."""

from __future__ import annotations

import ast

from trl_doctor.files.source import configuration, functions
from trl_doctor.files.source.objects import (
    Arguments,
    Class,
    Function,
    Instance,
    Scope,
    of_library,
)
from trl_doctor.files.source.state import State
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

REQUIRED = "it has no default"


def function(state: State, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
    """Define a function; a decorator that may replace it leaves it as it is."""
    decorated = tuple(state.evaluate(decorator, scope) for decorator in node.decorator_list)
    scope.names[node.name] = Function(node, scope, state.source, None, decorated)
    return False


def cls(state: State, node: ast.ClassDef, scope: Scope) -> bool:
    """Define a class: its methods, and its annotated fields with their defaults."""
    bases = [state.evaluate(base, scope) for base in node.bases]
    class_ = Class(node, scope, state.source, bases)
    inner = Scope({}, scope)
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            class_.fields[statement.target.id] = _field(state, statement, inner)
        else:
            state.block([statement], inner)
    class_.members.update({k: v for k, v in inner.names.items() if k not in class_.fields})
    for member in class_.members.values():
        if isinstance(member, Function):
            member.cls, member.scope = class_, scope
    if any(isinstance(base, Outside) and base.name.startswith("enum.") for base in bases):
        _enumerate(class_)
    scope.names[node.name] = class_
    return False


def _enumerate(class_: Class) -> None:
    for name, value in list(class_.members.items()):
        if isinstance(value, Plain):
            class_.members[name] = Instance(
                class_, {"value": NamedValue(value), "name": NamedValue(Plain(name))}
            )


def _field(state: State, node: ast.AnnAssign, scope: Scope) -> NamedValue:
    span, whole = state.span(node.target), state.span(node)
    if node.value is None:
        why = f"{state.shown(node.target)} {REQUIRED.removeprefix('it ')}"
        return NamedValue(Unknown(why, span), span, whole)
    value = state.evaluate(node.value, scope)
    scope.names[node.target.id] = value  # type: ignore[union-attr]
    return NamedValue(_default(state, value, node), span, whole)


def _default(state: State, value: Value, node: ast.AnnAssign) -> Value:
    """What `field(default=…)` or `Field(…)` gives."""
    if not isinstance(value, LibraryObject) or value.short not in ("field", "Field"):
        return value
    if (default := value.argument("default", 0 if value.short == "Field" else None)) is not None:
        return default
    factory = value.argument("default_factory")
    if isinstance(factory, Function):
        return functions.function(state, factory, Arguments([], {}), node)
    if isinstance(factory, Outside) and factory.name == "builtins.list":
        return Many([], value.span)
    if isinstance(factory, Outside) and factory.name == "builtins.dict":
        return Table({}, None, value.span)
    if isinstance(factory, Class):
        return _made(state, factory, node)
    if factory is None:
        return Unknown(f"{state.shown(node.target)} {REQUIRED.removeprefix('it ')}", value.span)
    return state.unknown(node)


def _made(state: State, factory: Class, node: ast.AnnAssign) -> Value:
    """The object that a `default_factory` makes; that of a library's class is not followed."""
    if of_library(factory) is not None:
        return state.unknown(node)
    number = len(state.settings)
    call = ast.copy_location(ast.Call(node.target, [], []), node)
    made = configuration.made(state, factory, Arguments([], {}), call)
    made = made or functions.instance(state, factory, Arguments([], {}), call)
    del state.settings[number:]  # only a default: nothing gives it its values
    return made
