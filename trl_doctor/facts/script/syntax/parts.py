"""The statements of a module that some of its functions need, without all others."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator, Sequence

from trl_doctor.core.unavailable import Unavailable

OF_JOBS = frozenset({
    "accelerate", "argparse", "click", "datasets", "deepspeed", "evaluate", "fire", "httpx",
    "hydra", "multiprocessing", "openai", "peft", "requests", "sentence_transformers",
    "simple_parsing", "subprocess", "sys", "torch", "transformers", "trl", "tyro", "typer",
    "unsloth", "vllm", "wandb",
})  # fmt: skip
"""Modules that load models and data, ask for words of a command line, or start other programs."""

BUILTINS = frozenset({
    "bool", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min", "range",
    "round", "set", "sorted", "str", "sum", "tuple", "zip",
})  # fmt: skip
"""Functions that a value of the module may call."""


def needed(text: str, names: Iterable[str]) -> str:
    """The module with the statements that define these names, and what they need, on their lines.

    All others are blank lines. Raises `Unavailable` if one of them does more than define: it calls
    something of a library for models or data, or stands under a condition.
    """
    tree, table = ast.parse(text), symtable.symtable(text, "module", "exec")
    bound = _bound(tree.body)
    functions = {child.get_name(): child for child in table.get_children()}
    open_names, kept = list(names), set[int]()
    for name in open_names:
        for at in bound.get(name, ()):
            statement = tree.body[at]
            if at in kept:
                continue
            if reason := _does_more(statement, bound, tree.body):
                raise Unavailable(f"{name} is needed, and line {statement.lineno} {reason}")
            kept.add(at)
            inner = functions.get(getattr(statement, "name", ""))
            found = {*_loaded(statement), *(_globals(inner) if inner else ())}
            open_names += sorted(found - set(open_names))
    return _lines(text, [tree.body[at] for at in sorted(kept)])


def _bound(body: Sequence[ast.stmt]) -> dict[str, list[int]]:
    """For each name the statements that give it a value, or change it."""
    found: dict[str, list[int]] = {}
    for at, statement in enumerate(body):
        for name in {*_names(statement)}:
            found.setdefault(name, []).append(at)
    return found


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            owner: ast.AST = node.value
            while isinstance(owner, ast.Subscript | ast.Attribute):
                owner = owner.value
            yield getattr(owner, "id", "")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _does_more(statement: ast.stmt, bound: dict[str, list[int]], body: Sequence[ast.stmt]) -> str:
    """What a statement does beside defining a name; "" if nothing."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return ""
    if isinstance(statement, ast.Try):
        plain = (ast.Import, ast.ImportFrom, ast.Assign, ast.Pass)
        inside = [
            *statement.body,
            *(line for handler in statement.handlers for line in handler.body),
        ]
        return "" if all(isinstance(line, plain) for line in inside) else "catches errors"
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return "is no plain definition"
    for node in ast.walk(statement):
        root = _root(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and root is not None and _of_job(root, bound, body):
            return f"calls {ast.unparse(node.func)}"
    return ""


def _root(function: ast.expr) -> str | None:
    """The name with which the call of a function begins; None for a method of a literal."""
    while isinstance(function, ast.Attribute | ast.Subscript | ast.Call):
        function = function.func if isinstance(function, ast.Call) else function.value
    return function.id if isinstance(function, ast.Name) else None


def _of_job(root: str, bound: dict[str, list[int]], body: Sequence[ast.stmt]) -> bool:
    """Whether a name stands for something that a part of the script may not call alone."""
    if root not in bound:
        return root not in BUILTINS
    for at in bound[root]:
        statement = body[at]
        if isinstance(statement, ast.Import):
            packages = {name.name.partition(".")[0] for name in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            packages = {(statement.module or "").partition(".")[0]}
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.ClassDef):
            continue
        else:
            return True
        if packages & OF_JOBS:
            return True
    return False


def _loaded(statement: ast.stmt) -> Iterator[str]:
    """The names that are read when a statement runs: of a function its defaults and decorators."""
    parts: list[ast.AST] = [statement]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        given = statement.args
        hints = [arg.annotation for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        parts = [*statement.decorator_list, *given.defaults]
        parts += [part for part in (*given.kw_defaults, *hints, statement.returns) if part]
    elif isinstance(statement, ast.ClassDef):
        parts = [*statement.bases, *statement.decorator_list, *statement.keywords, *statement.body]
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """The names of the module that a function, and those inside of it, read."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals(child)


def _lines(text: str, statements: Sequence[ast.stmt]) -> str:
    """The text with these statements alone, each where it was."""
    lines = text.split("\n")
    kept = set[int]()
    for statement in statements:
        decorated = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(node.lineno for node in decorated)])
        kept.update(range(first, (statement.end_lineno or first) + 1))
    return "\n".join(line if at in kept else "" for at, line in enumerate(lines, 1))
