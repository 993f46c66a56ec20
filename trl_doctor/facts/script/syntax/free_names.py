"""Which names a statement reads from around it, gives a value, or changes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from msgspec import Struct

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

SETTLES = frozenset({"os", "random", "numpy", "np", "sys", "warnings"})
"""Modules whose calls settle how the lines after them run: a folder, a seed, a search path."""

WRITES = frozenset({
    "close", "info", "push_to_hub", "save", "save_pretrained", "save_to_disk", "to_csv", "to_json",
    "to_parquet", "train", "write",
})  # fmt: skip
"""Methods that leave their object as it is."""

CHANGES = ("add_", "append", "extend", "insert", "pop", "set_", "setdefault", "update")
"""How methods begin that change their object, also where their result is kept."""


def free(node: ast.AST) -> set[str]:
    """The names that a part of the code reads and does not define itself."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inside = set[str]().union(*map(free, ast.iter_child_nodes(node)))
    if isinstance(node, FUNCTIONS):
        given = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        body = node.body if isinstance(node.body, list) else []
        outer = set[str]().union(*map(free, _of_definition(node)))
        return (inside - given - {name for part in body for name in bound_in(part)}) | outer
    if isinstance(node, COMPREHENSIONS):
        targets = {
            part.id for each in node.generators for part in ast.walk(each.target)
            if isinstance(part, ast.Name)
        }  # fmt: skip
        return inside - targets | free(node.generators[0].iter)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return inside | {node.target.id}
    return inside


def _of_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """What a function reads where it is defined."""
    yield from node.args.defaults
    yield from filter(None, node.args.kw_defaults)
    yield from getattr(node, "decorator_list", [])


def bound_in(statement: ast.AST) -> Iterator[str]:
    """The names that a statement gives a value, in its own scope."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    if isinstance(statement, ast.alias):
        yield (statement.asname or statement.name).partition(".")[0]
    elif isinstance(statement, ast.Name) and not isinstance(statement.ctx, ast.Load):
        yield statement.id
    elif isinstance(statement, ast.ExceptHandler) and statement.name:
        yield statement.name
    for part in ast.iter_child_nodes(statement):
        if not isinstance(part, ast.Lambda):
            yield from bound_in(part)


class Own(Struct, frozen=True):
    """The functions that a script defines, and the names of the modules that it imports."""

    functions: frozenset[str]
    modules: frozenset[str]


def changes(statement: ast.stmt, names: Collection[str], own: Own) -> bool:
    """Whether a statement gives one of these names its value, or changes what it stands for."""
    if any(name in names or name == "*" for name in bound_in(statement)):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(_changes(node, names, own) for node in ast.walk(statement))


def _changes(node: ast.AST, names: Collection[str], own: Own) -> bool:
    if isinstance(node, ast.Attribute | ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and root(node) in names
    if isinstance(node, ast.Call):
        return _call_changes(node, names, own)
    return isinstance(node, ast.Expr) and _method_changes(node.value, names, own)


def _call_changes(call: ast.Call, names: Collection[str], own: Own) -> bool:
    function, owner = call.func, root(call.func)
    if isinstance(function, ast.Name):
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        gets = any(isinstance(value, ast.Name) and value.id in names for value in values)
        return gets and function.id in own.functions
    method = getattr(function, "attr", "")
    return owner in names and owner not in own.modules and method.startswith(CHANGES)


def _method_changes(call: ast.expr, names: Collection[str], own: Own) -> bool:
    """Whether a call whose result nobody keeps changes an object, or settles how others run."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    owner = root(call.func)
    if owner == "sys" and "path" in ast.unparse(call.func):
        return True
    if owner in own.modules and owner not in SETTLES:
        return False
    return owner in names and call.func.attr not in WRITES


def root(node: ast.expr) -> str:
    """The name with which a chain of attributes, items and calls begins; "" for none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
