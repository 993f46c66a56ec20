"""Calls of Python's own functions and of `os` whose result a reader can know."""

from __future__ import annotations

import ast
import posixpath
from typing import Any

from trl_doctor.files.source import attributes, copies, files, interpolation, merging
from trl_doctor.files.source.containers import as_table, attributes_of
from trl_doctor.files.source.joined import GIVEN
from trl_doctor.files.source.objects import Instance
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Keywords,
    LibraryObject,
    Many,
    NamedValue,
    Plain,
    Table,
    Unknown,
    Value,
)

NAMES = frozenset([
    "print", "len", "int", "float", "str", "bool", "dict", "list", "tuple", "set", "min", "max",
    "abs", "round", "range", "enumerate", "zip", "sorted", "isinstance", "getattr", "setattr",
    "hasattr", "vars", "open", "any", "all", "sum", "map", "filter", "super", "property",
    "staticmethod", "classmethod", "object", "type", "repr", "next", "iter", "input", "exit",
    "quit", "id", "callable", "Exception", "ValueError", "RuntimeError", "ImportError",
    "KeyError", "TypeError", "FileNotFoundError", "NotImplementedError", "AssertionError",
    "reversed", "globals", "locals", "format", "hash", "bytes",
])  # fmt: skip

TABLES = ("EasyDict", "edict", "Munch", "DotMap", "AttrDict", "ConfigDict", "addict.Dict",
          "box.Box", "config_dict.create", "OmegaConf.structured", "OmegaConf.create",
          "OmegaConf.to_container", "OmegaConf.to_object")  # fmt: skip
"""What makes a dictionary of one, whose entries are attributes too."""

NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")

CONVERTED: dict[str, Any] = {
    "builtins.int": int, "builtins.float": float, "builtins.str": str, "builtins.bool": bool,
    "builtins.abs": abs, "builtins.round": round,
}  # fmt: skip
LONGEST = 2_000
"""Numbers of a range that are kept."""
SAME = frozenset(
    {"builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set", "pathlib.Path",
     "copy.deepcopy", "copy.copy", "textwrap.dedent", "os.path.expanduser", "os.fspath",
     "os.path.expandvars", "typing.cast"}
)  # fmt: skip


def call(
    state: State, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value | None:
    """The value of a call of a function with a known meaning; None for any other."""
    first = values[0] if values else None
    if name in ("os.environ.get", "os.getenv", "os.environ.setdefault"):
        return _variable(state, name, values, keywords, node)
    if name == "builtins.open":
        return state.new(name, node, values, keywords)
    if name in files.LOADERS:
        value = files.of_text(name, first) or files.content(state, first, node)
        return interpolation.resolved(state, value, node) if "OmegaConf" in name else value
    if (name in SAME or name in CONVERTED) and isinstance(first, Unknown) and GIVEN in first.why:
        return first
    if name in CONVERTED:
        return _converted(state, name, values, node)
    if name == "builtins.range":
        return _range(state, values, node)
    if name == "builtins.len":
        return _length(state, first, node)
    if name == "builtins.getattr" and len(values) > 1 and isinstance(values[1], Plain):
        state.trying += len(values) > 2
        value = attributes.attribute(state, values[0], str(values[1].value), node)
        state.trying -= len(values) > 2
        return value
    if name == "builtins.setattr" and len(values) > 2 and isinstance(values[1], Plain):
        return _set(state, values[0], str(values[1].value), values[2], node)
    if name == "builtins.dict" or name.endswith(TABLES):
        return _table(state, first, {} if "OmegaConf" in name else keywords, node)
    if name in NAMESPACES:
        return Instance(None, dict(keywords), None, state.span(node))
    if name in ("builtins.vars", "dataclasses.asdict") and isinstance(first, Instance):
        return attributes_of(first)
    if name == "pathlib.Path" and len(values) > 1:
        return _joined(state, values, node)
    if name in SAME and first is not None:
        return copies.copied(state, name, first, node)
    if name.startswith(("os.path.", "pathlib.")):
        return _path(state, name, values, node)
    if name.startswith("builtins."):
        return _other(state, name, values, node)
    return None


def _variable(
    state: State, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value | None:
    """The value of a variable of the environment, or its default."""
    variable = values[0] if values else None
    default = values[1] if len(values) > 1 else None
    if name == "os.environ.setdefault":
        if not isinstance(variable, Plain) or default is None:
            return None
        state.set_variables.setdefault(str(variable.value), NamedValue(default))
        return default
    if default is None and "default" in keywords:
        default = keywords["default"].value
    if isinstance(variable, Plain):
        return interpolation.variable(state, str(variable.value), default or Plain(None), node)
    return state.unknown(node)


def _path(state: State, name: str, values: list[Value], node: ast.Call) -> Value | None:
    """A path that is joined from parts, or a part of one."""
    first = values[0] if values else None
    if name in ("os.path.join", "pathlib.PurePath"):
        return _joined(state, values, node)
    if name == "os.path.normpath" and isinstance(first, Plain):
        return Plain(posixpath.normpath(str(first.value)), state.span(node))
    if name in ("os.path.dirname", "os.path.basename") and isinstance(first, Plain):
        part = getattr(posixpath, name.rpartition(".")[2])
        return Plain(part(str(first.value)), state.span(node))
    if name in ("os.path.abspath", "os.path.realpath") and isinstance(first, Plain):
        return first
    return None


def _converted(state: State, name: str, values: list[Value], node: ast.Call) -> Value:
    plain = [value.value for value in values if isinstance(value, Plain)]
    if len(plain) != len(values) or not 1 <= len(values) <= 2:
        return state.unknown(node)
    try:
        return Plain(CONVERTED[name](*plain), state.span(node))
    except (ValueError, TypeError, OverflowError):
        return state.unknown(node)


def _range(state: State, values: list[Value], node: ast.Call) -> Value:
    bounds = [value.value for value in values if isinstance(value, Plain)]
    numbers = [bound for bound in bounds if isinstance(bound, int) and not isinstance(bound, bool)]
    if len(numbers) == len(values) and 0 < len(numbers) < 4 and numbers[2:] != [0]:
        counted = range(*numbers)
        if not counted[LONGEST:]:
            return Many([Plain(number) for number in counted], state.span(node), "range")
    return state.unknown(node)


def _length(state: State, first: Value | None, node: ast.Call) -> Value:
    if isinstance(first, LibraryObject):
        return Unknown(f"it is `{state.shown(node)}`", state.span(node), first, "len()")
    if isinstance(first, Many) and not first.grows:
        return Plain(len(first.items), state.span(node))
    if isinstance(first, Plain) and isinstance(first.value, str):
        return Plain(len(first.value), state.span(node))
    if isinstance(first, Table) and first.rest is None:
        return Plain(len(first.entries), state.span(node))
    return state.unknown(node)


def _set(state: State, owner: Value, name: str, value: Value, node: ast.Call) -> Value:
    attributes.set_attribute(state, owner, name, value, node)
    return Plain(None)


def _table(state: State, first: Value | None, keywords: Keywords, node: ast.Call) -> Value:
    table = Table({}, None, state.span(node))
    if first is not None and (given := as_table(first)) is not None:
        table.entries.update(given.entries)
        table.rest = given.rest
    elif first is not None:
        return state.unknown(node)
    table.entries.update(keywords)
    return table


def _joined(state: State, values: list[Value], node: ast.Call) -> Value:
    given = [value for value in values if isinstance(value, Unknown) and GIVEN in value.why]
    if given:
        return given[0]
    plain = [value.value for value in values if isinstance(value, Plain)]
    parts = [part for part in plain if isinstance(part, str)]
    if len(parts) != len(values) or not parts:  # None: a default that the command line replaces
        return state.unknown(node)
    return Plain(posixpath.join(*parts), state.span(node))


def _other(state: State, name: str, values: list[Value], node: ast.Call) -> Value:
    if name == "builtins.isinstance" and len(values) == 2:
        kind = merging.is_of(state, values[0], values[1])
        return state.unknown(node) if kind is None else Plain(kind, state.span(node))
    if name in ("builtins.min", "builtins.max"):
        plain = [value.value for value in values if isinstance(value, Plain)]
        if len(plain) == len(values) > 1:
            try:
                return Plain(min(plain) if name.endswith("min") else max(plain), state.span(node))  # type: ignore[type-var]
            except TypeError:
                pass
    return state.unknown(node)
