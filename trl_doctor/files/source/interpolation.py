"""What OmegaConf and hydra fill into the texts of a configuration: `${model.name}`."""

from __future__ import annotations

import ast
import re

from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, NamedValue, Plain, Table, Unknown, Value

FILLED = re.compile(r"\$\{([^${}]*)\}")
VARIABLE = "oc.env:"
RUNTIME = {"hydra:runtime.cwd": "."}
"""What hydra itself gives: the folder in which the job starts."""

DEEPEST = 8
"""Fillings inside fillings that are followed."""


EXPONENT = re.compile(r"[-+]?\d[\d_]*[eE][-+]?\d+")
"""A number that YAML 1.1 reads as a text; OmegaConf and YAML 1.2 read it as a number."""


def with_exponents(value: Value) -> Value:
    """A value of a YAML file as a loader reads it that knows `1e-5` as a number."""
    if isinstance(value, Table):
        entries = {key: NamedValue(with_exponents(entry.value), entry.name, entry.whole)
                   for key, entry in value.entries.items()}  # fmt: skip
        return Table(entries, value.rest)
    if isinstance(value, Many):
        return Many([with_exponents(item) for item in value.items])
    if (
        isinstance(value, Plain)
        and isinstance(value.value, str)
        and EXPONENT.fullmatch(value.value)
    ):
        return Plain(float(value.value))
    return value


def resolved(state: State, root: Value, node: ast.AST) -> Value:
    """A configuration with its texts filled in; what is not known stays unknown."""
    whole = with_exponents(root)
    return _resolved(state, whole, whole, node)


def _resolved(state: State, value: Value, root: Value, node: ast.AST, depth: int = 0) -> Value:
    if isinstance(value, Table):
        entries = {key: _resolved(state, entry.value, root, node, depth)
                   for key, entry in value.entries.items()}  # fmt: skip
        return Table({key: NamedValue(inner) for key, inner in entries.items()}, value.rest)
    if isinstance(value, Many):
        return Many([_resolved(state, item, root, node, depth) for item in value.items])
    if not isinstance(value, Plain) or not isinstance(value.value, str):
        return value
    if value.value == "???" or depth > DEEPEST:
        return state.unknown(node, f"the configuration leaves {value.value!r:.60} open")
    return _filled(state, value.value, root, node, depth) if "${" in value.value else value


def _filled(state: State, text: str, root: Value, node: ast.AST, depth: int) -> Value:
    open_text = Unknown(f"the configuration fills in {text!r:.60}", state.span(node))
    if whole := FILLED.fullmatch(text):
        named = _named(state, whole[1], root, node)
        return _resolved(state, named, root, node, depth + 1) if named else open_text
    parts = FILLED.split(text)
    for at in range(1, len(parts), 2):
        named = _named(state, parts[at], root, node)
        part = _resolved(state, named, root, node, depth + 1) if named else None
        if not isinstance(part, Plain):
            return open_text
        parts[at] = str(part.value)
    joined = "".join(parts)
    if "${" not in joined:
        return Plain(joined, state.span(node))
    inner = joined != text and depth < DEEPEST  # `${oc.env:MODEL,${hydra:runtime.cwd}/m}`
    return _filled(state, joined, root, node, depth + 1) if inner else open_text


def _named(state: State, name: str, root: Value, node: ast.AST) -> Value | None:
    """The value that `a.b` or `oc.env:NAME,default` names; None if that is not known."""
    if name.startswith(VARIABLE):
        named, comma, default = name.removeprefix(VARIABLE).partition(",")
        other = Plain(default.strip("'\"")) if comma else None
        return variable(state, named, other, node)
    if name in RUNTIME:
        return Plain(RUNTIME[name], state.span(node))
    value = root
    for part in name.split("."):
        if not isinstance(value, Table) or part not in value.entries:
            return None
        value = value.entries[part].value
    return value


def variable(state: State, name: str, default: Value | None, node: ast.AST) -> Value:
    """An environment variable, by the script itself, by how it is started, or by its default."""
    if name in state.set_variables:
        return state.set_variables[name].value
    if name in state.environment:
        return Plain(state.environment[name], state.span(node))
    if default is None or name in ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        return state.unknown(node, f"it is the environment variable {name}")
    return default
