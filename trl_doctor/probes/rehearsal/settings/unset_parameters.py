"""Keys of the script's own files that are named as parameters of its functions, and do not arrive.

The function is called without the parameter, and uses its own default.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..record import Mistake
from ..where import own_files
from . import config_files
from .config_files import same, short
from .left_keys import read_by_key, scalars

FEWEST = 2
"""Other keys of the section that the code reads by their names, at least."""


class Parameter(NamedTuple):
    """A parameter with a constant default, and the name by which its function is called."""

    called: str
    default: Any
    inside: frozenset[int]
    """The nodes of the function, which may name its own parameter."""


def unread() -> Iterator[Mistake]:
    """Such keys, with the file, the function and the default that it uses."""
    code = read_by_key() if config_files.loaded else None
    if code is None:
        return
    nodes, whole = code
    words = config_files.words_of(own_files())
    parameters = _parameters(nodes)
    for file in [*config_files.loaded]:
        every = [*scalars(file.values, (), 0)]
        lost = {
            key: parameters[key]
            for path, key, value in every
            if key in parameters
            and key not in words.texts | words.attributes
            and isinstance(value, (bool, int, float, str))
            and not same(value, parameters[key].default)
            and words.texts.issuperset(path)
            and (path[-1] if path else "") not in whole
            and sum(other in words.texts for there, other, _ in every if there == path) >= FEWEST
            and not _named_outside(key, parameters[key], nodes)
        }
        others = config_files.read_by_others(file.path) if lost else set[str]()
        for key, parameter in lost.items():
            if key not in others:
                value = next(value for _, name, value in every if name == key)
                yield Mistake("key of parameter unread", [
                    f"{key} ({short(value)})", file.file, parameter.called, short(parameter.default)
                ])  # fmt: skip
                break


def _parameters(nodes: Sequence[ast.AST]) -> dict[str, Parameter]:
    """Those of functions and classes that the code calls; none whose name two of them have."""
    calls = {getattr(node.func, "attr", getattr(node.func, "id", ""))
             for node in nodes if isinstance(node, ast.Call) and not _open(node)}  # fmt: skip
    makers = {
        id(inner): node.name
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__"
    }
    found: dict[str, list[Parameter]] = {}
    for node in nodes:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        inside = frozenset(map(id, ast.walk(node)))
        called = makers.get(id(node), node.name)
        for name, default in _defaults(node.args):
            if called in calls and isinstance(default, ast.Constant):
                found.setdefault(name, []).append(Parameter(called, default.value, inside))
    return {name: several[0] for name, several in found.items() if len(several) == 1}


def _open(call: ast.Call) -> bool:
    """Whether a call may pass what it does not name."""
    starred = any(isinstance(value, ast.Starred) for value in call.args)
    return starred or any(word.arg is None for word in call.keywords)


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr | None]]:
    plain = [*arguments.posonlyargs, *arguments.args]
    with_default = plain[len(plain) - len(arguments.defaults) :]
    yield from zip((one.arg for one in with_default), arguments.defaults)
    yield from zip((one.arg for one in arguments.kwonlyargs), arguments.kw_defaults)


def _named_outside(key: str, parameter: Parameter, nodes: Sequence[ast.AST]) -> bool:
    """Whether code outside the function has this name: as an argument, or for a value."""
    return any(
        getattr(node, "arg" if isinstance(node, ast.keyword) else "id", "") == key
        for node in nodes
        if isinstance(node, (ast.keyword, ast.Name)) and id(node) not in parameter.inside
    )
