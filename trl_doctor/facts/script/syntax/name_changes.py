"""Whether a statement changes what a name stands for: itself, or by a function of the script."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from trl_doctor.facts.script.syntax.free_names import bound_in, free, root, shared
from trl_doctor.facts.script.syntax.job_calls import call_of_job

SETTLES = frozenset({"os", "random", "numpy", "np", "sys", "warnings"})
"""Modules whose calls settle how the lines after them run: a folder, a seed, a search path."""

LEAVES = frozenset({
    "append_text", "close", "critical", "debug", "display", "dump", "error", "exception", "format",
    "info", "isinstance", "len", "log", "max", "min", "plot", "pprint", "print", "push_to_hub",
    "repr", "save", "save_pretrained", "save_to_disk", "set_seed", "show", "str", "sum", "to_csv",
    "to_json", "to_parquet", "train", "type", "update_layout", "vars", "warning", "write",
    "writelines",
})  # fmt: skip
"""Functions and methods that leave their object and their values as they are."""

CHANGES = ("add_", "append", "extend", "insert", "pop", "set_", "setdefault", "update")
"""How methods begin that change their object, also where their result is kept."""

FILLS = frozenset({"heapify", "heappop", "heappush", "insort", "insort_left", "shuffle"})
"""Functions of libraries that change the first of their values, also where their result is kept."""

DEEPEST = 4
"""Functions of the script that are looked into, one behind the other."""


class Own(Struct, frozen=True):
    """The functions that a script defines, and the names of the modules that it imports."""

    functions: Mapping[str, ast.FunctionDef]
    modules: frozenset[str]


def changes(statement: ast.stmt, names: Collection[str], own: Own) -> bool:
    """Whether a statement gives one of these names its value, or changes what it stands for."""
    if any(name in names or name == "*" for name in bound_in(statement)):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(name in names for name in _changed(statement, names, own, DEEPEST))


def _changed(part: ast.AST, names: Collection[str], own: Own, deep: int) -> Iterator[str]:
    """Those of the names whose objects a part of the code changes."""
    for node in ast.walk(part):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield root(node)
        elif isinstance(node, ast.Call):
            yield from _by_call(node, own, deep)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _by_statement(node.value, names, own)
        elif isinstance(node, ast.For) and root(node.iter) in names:
            items = set(bound_in(node.target))
            if any(name in items for name in _changed_in(node.body, items, own, deep)):
                yield root(node.iter)


def _changed_in(
    body: Collection[ast.stmt], names: Collection[str], own: Own, deep: int
) -> Iterator[str]:
    for statement in body:
        yield from _changed(statement, names, own, deep)


def _by_call(call: ast.Call, own: Own, deep: int) -> Iterator[str]:
    """What a call changes whose result may be kept: its object, or what a function is given."""
    function = call.func
    if isinstance(function, ast.Name) and function.id in own.functions and deep:
        yield from _by_function(own.functions[function.id], call, own, deep - 1)
    last = getattr(function, "attr", getattr(function, "id", ""))
    if last in FILLS and call.args:
        yield root(call.args[0])
    if isinstance(function, ast.Attribute) and last.startswith(CHANGES):
        owner = root(function)
        yield from () if owner in own.modules else (owner,)


def _by_function(function: ast.FunctionDef, call: ast.Call, own: Own, deep: int) -> Iterator[str]:
    """What a function of the script changes: of the values of its call, and around it."""
    given = function.args
    parameters = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    local = {argument.arg for argument in ast.walk(given) if isinstance(argument, ast.arg)}
    of_others = shared(function)
    around = free(function) | of_others
    changed = {*_changed_in(function.body, local | around, own, deep), *of_others}
    values = dict(zip(parameters, call.args, strict=False))
    values |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    for name in changed:
        if name in values:
            yield root(values[name])
        elif name in around:
            yield name


def _by_statement(call: ast.Call, names: Collection[str], own: Own) -> Iterator[str]:
    """What a call changes whose result nobody keeps: its object, or the values that it gets."""
    function, owner = call.func, root(call.func)
    last = getattr(function, "attr", getattr(function, "id", ""))
    if last in LEAVES or call_of_job(call):
        return
    if isinstance(function, ast.Attribute) and (owner not in own.modules or owner in SETTLES):
        yield owner
    if owner == "sys" and "path" in ast.unparse(function):
        yield from names
    if not (isinstance(function, ast.Name) and function.id in own.functions):
        values = (*call.args, *(keyword.value for keyword in call.keywords))
        yield from (value.id for value in values if isinstance(value, ast.Name))
