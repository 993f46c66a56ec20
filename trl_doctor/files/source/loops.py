"""What a loop that is not read turn by turn may do to the values that it goes over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.files.source import merging
from trl_doctor.files.source.objects import Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.steady import changed
from trl_doctor.files.source.values import Many, Table, Value

HARMLESS = frozenset({"print", "len", "str", "int", "float", "isinstance", "dict", "list", "repr"})


def loosen_items(state: State, node: ast.For | ast.AsyncFor | ast.While, scope: Scope) -> None:
    """Say that the items are not known any more, where the body changes them or hands them on."""
    over = node.test if isinstance(node, ast.While) else node.iter
    around = _names(over)
    own = set[str]() if isinstance(node, ast.While) else _names(node.target)
    touched = {name for part in node.body for inner in ast.walk(part) for name in _touched(inner)}
    if touched & own:
        touched |= around
    for name in touched - own:
        value = scope.find(name)
        for item in value.items if isinstance(value, Many) else ():
            _loosen(state, item, node)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _touched(node: ast.AST) -> Iterator[str]:
    """The names of which a node may change a part."""
    if isinstance(target := changed(node), ast.Name):
        yield target.id
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") not in HARMLESS:
        yield from (word.id for word in node.args if isinstance(word, ast.Name))


def _loosen(state: State, item: Value, node: ast.AST) -> None:
    if isinstance(item, Table):
        merging.blur(item, state.unknown(node))
    elif isinstance(item, Many):
        item.grows = True
