"""Objects that a command line fills: of classes, and the arguments of functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.files.source.command_line.keys import Line, of_words, read_line, typed
from trl_doctor.files.source.objects import (
    Arguments,
    Class,
    Function,
    Instance,
    class_of,
    of_library,
)
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    NamedValue,
    Outside,
    Plain,
    Unknown,
    Value,
)

DEEPEST = 8
"""Objects inside objects that are filled: a class may have a field of its own kind."""


def filled(
    state: State, cls: Value, line: Line, own: set[str], node: ast.AST, depth: int = 0
) -> Value:
    """The object that the parser creates from one of its classes; `own` are the fields of the
    script's classes.
    """
    others = {key: value for key, value in line.keywords.items() if key not in own}
    if isinstance(cls, Class):
        fields, inner = cls.all_fields(), cls.classes()
        held = {
            key: NamedValue(filled(state, inner[key], line.below(key), own, node, depth + 1))
            if key in inner
            and depth < DEEPEST
            and key not in line.keywords
            and (line.has_below(key) or is_required(fields[key]))
            else _field(key, fields[key], line)
            for key in fields
        }
        stated = frozenset(fields) & frozenset(line.keywords)
        instance = Instance(cls, held, line.rest, state.span(node), stated)
        outside = of_library(cls)
        if outside is None:
            state.settings.append(instance)
            return instance
        made = _new_object(state, outside.name, {**held, **others}, line, node)
        made.fields = frozenset(fields)
        state.settings.append(replace(instance, derived=True))
        return made
    if isinstance(cls, Outside):
        return _new_object(state, cls.name, others, line, node)
    return state.unknown(node)


def _new_object(
    state: State, name: str, keywords: dict[Any, NamedValue], line: Line, node: ast.AST
) -> LibraryObject:
    keywords = {k: replace(value, value=typed(value.value)) for k, value in keywords.items()}
    rest = line.rest
    if state.argv is None and rest is None and not line.whole:
        rest = Unknown(COMMAND_LINE, state.span(node))
    made = state.new(name, node, [], keywords, rest)
    made.parsed, made.shared = line.parser, line.shared
    return made


def _field(name: str, default: NamedValue, line: Line) -> NamedValue:
    value = line.keywords.get(name)
    if value is not None:
        stated = given(typed(value.value), value.option)
        return replace(value, value=stated, name=default.name, whole=default.whole)
    if line.rest is not None:
        return NamedValue(line.rest, default.name, default.whole)
    if is_required(default):
        why = f"it comes from the command line (--{name}): give it after --"
        return NamedValue(Unknown(why, default.name), default.name, default.whole)
    if line.needed and isinstance(default.value, Plain) and default.value.value is None:
        return replace(default, value=Unknown(COMMAND_LINE, default.name))
    return default


def is_required(default: NamedValue) -> bool:
    """Whether a field has no default."""
    return isinstance(default.value, Unknown) and "has no default" in default.value.why


def given(value: Value, option: str) -> Value:
    """A value of the command line, with the name of its option."""
    return replace(value, option=option) if isinstance(value, Plain) else value


def of_function(
    state: State,
    callee: Function,
    defaults: Mapping[str, Value],
    node: ast.AST,
    words: bool = False,
) -> Arguments:
    """The arguments of a function that a command line calls (fire, typer, tyro, pyrallis)."""
    line = _line(state, node, words)
    signature = callee.node.args
    arguments = {}
    for argument in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs):
        name, cls = argument.arg, class_of(argument.annotation, callee.scope)
        if name in line.keywords:
            arguments[name] = NamedValue(typed(line.keywords[name].value))
        elif name not in defaults and cls is not None:
            arguments[name] = NamedValue(_of_line(state, cls, line.below(name, flat=True), node))
        elif name not in defaults:
            why = f"it comes from the command line (--{name}): give it after --"
            arguments[name] = NamedValue(Unknown(why, state.span(node)))
    return Arguments([], arguments, line.rest)


def of_class(state: State, cls: Class, node: ast.AST, words: bool = False) -> Value:
    """The object of a class of the script that a command line fills (tyro).

    With `words` the command line has no dashes: `lr=1` (chz).
    """
    return _of_line(state, cls, _line(state, node, words), node)


def _line(state: State, node: ast.AST, words: bool) -> Line:
    read = of_words if words else read_line
    return read(state, state.argv or (), node)


def _of_line(state: State, cls: Class, line: Line, node: ast.AST) -> Value:
    return filled(state, cls, line, set(cls.all_fields()), node)
