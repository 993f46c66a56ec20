"""Functions that a script gives to `map` and that return nothing."""

from __future__ import annotations

import ast

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.effects import has_effect
from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.method_calls import (
    Called,
    calls_of_methods,
    data_sets,
    gives_rows,
)

OF_DATASETS = frozenset(
    {"batched", "remove_columns", "num_proc", "load_from_cache_file", "with_indices", "fn_kwargs"}
)
"""Arguments of `map` that only data sets have."""


class IdleMap(Struct, frozen=True):
    """`rows.map(function)`, whose function returns nothing; its place is that of the call.

    `filled` is a name in the function that gets a value by `name["…"] = …`, perhaps "".
    """

    rows: str
    function: str
    filled: str
    place: Place


class MappedRows(Struct, frozen=True):
    """A call of `map` on a data set, the names of its arguments, and its function of the script."""

    call: Called
    words: frozenset[str]
    function: ast.FunctionDef


def idle_maps(facts: Facts) -> list[IdleMap]:
    """Such calls whose result the script keeps. Raises as `code` does."""
    return [
        IdleMap(each.call.name, each.function.name, _filled(each.function),
                facts[code].place(each.call.node))
        for each in facts[mapped_rows]
        if _returns_nothing(each.function) and not _for_effect(each.function)
    ]  # fmt: skip


def mapped_rows(facts: Facts) -> list[MappedRows]:
    """The calls of `map` whose result the script keeps. Raises as `code` does."""
    parsed = facts[code]
    functions: dict[str, list[ast.FunctionDef]] = {}
    for node in parsed.nodes:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
    known = data_sets(parsed.whole)
    alone = {id(node.value) for node in parsed.nodes if isinstance(node, ast.Expr)}
    found: list[MappedRows] = []
    for call in facts[calls_of_methods]:
        words = {word.arg: word.value for word in call.node.keywords}
        if call.method != "map" or id(call.node) in alone:
            continue
        if not gives_rows(call.node, known) and not OF_DATASETS & set(words):
            continue
        given = call.node.args[0] if call.node.args else words.get("function")
        nodes = functions.get(given.id, []) if isinstance(given, ast.Name) else []
        nodes = [_named(given)] if isinstance(given, ast.Lambda) else nodes
        if len(nodes) == 1:
            names = frozenset(word for word in words if word is not None)
            found.append(MappedRows(call, names, nodes[0]))
    return found


def _named(given: ast.Lambda) -> ast.FunctionDef:
    """A lambda as a function with a name."""
    body = ast.Return(given.body, lineno=given.lineno, col_offset=given.col_offset)
    return ast.FunctionDef("the lambda", given.args, [body], [])


def _returns_nothing(node: ast.FunctionDef) -> bool:
    """Whether it surely gives None: a decorator may return something else."""
    if node.decorator_list or any(value is not None for value in returned_values(node)):
        return False
    yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in body_nodes(node))
    return not yields and not isinstance(node.body[-1], ast.Raise)


def _for_effect(node: ast.FunctionDef) -> bool:
    """Whether it is there to count or to write something, and fills nothing of the row."""
    return has_effect(node) and not _filled(node)


def _filled(node: ast.FunctionDef) -> str:
    """The name to which the function gives entries, the last one."""
    names = [
        target.value.id
        for inner in body_nodes(node)
        if isinstance(inner, ast.Assign)
        for target in inner.targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    ]
    return names[-1] if names else ""
