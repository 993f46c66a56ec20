"""What the statements of a source give values to, and from what."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from trl_doctor.rehearsing.ending.scopes import CAPTURES, FUNCTIONS, arguments, source_name

PLAIN = ("staticmethod", "classmethod", "property", "cached_property", "dataclass", "hydra")
"""Decorators of functions that only the script calls."""

PUTS = ("append", "extend", "insert", "add", "update", "setdefault")
"""Methods that put something into an object."""

Functions: TypeAlias = Mapping[str, set[str]]
"""By the name that calls it, what the arguments of a function are called inside."""


def mentioned(node: ast.AST | None, tags: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What the names in a node come from."""
    carried: frozenset[str] = frozenset()
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Name | ast.Attribute):
            carried |= tags.get(called(inner), frozenset())
    return carried


def called(node: ast.Name | ast.Attribute) -> str:
    """A name; an attribute's begins with a dot."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}"


def header(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement says itself, without the statements below it."""
    below = [child for child in ast.iter_child_nodes(node)
             if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)]  # fmt: skip
    if not below:
        yield node
        return
    yield from (child for child in ast.iter_child_nodes(node) if child not in below)


def functions(nodes: list[ast.AST]) -> Functions:
    """By the name that calls it, what a function's or a new object's arguments are called."""
    bound: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, FUNCTIONS):
            bound[node.name] |= parameters(node)
        elif isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, FUNCTIONS) and statement.name == "__init__":
                    bound[node.name] |= parameters(statement)
                elif isinstance(statement, ast.AnnAssign) and isinstance(
                    statement.target, ast.Name
                ):
                    bound[node.name].add(f".{statement.target.id}")
    return bound


def filled(nodes: list[ast.AST]) -> Functions:
    """By the name of a function, the arguments that it puts something into."""
    bound: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if not isinstance(node, FUNCTIONS):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
                targets: list[ast.expr] = [inner.func.value] if inner.func.attr in PUTS else []
            else:
                targets = [inner] if isinstance(inner, ast.Subscript | ast.Attribute) else []
                targets = [] if isinstance(getattr(inner, "ctx", None), ast.Load) else targets
            names = {name for target in targets for name in changed(target)}
            bound[node.name] |= names & parameters(node)
    return bound


def assigned(
    node: ast.AST, functions: Functions, fills: Functions
) -> Iterator[tuple[set[str], list[ast.AST]]]:
    """Names that a node gives a value to, and what the value is made of."""
    if isinstance(node, ast.ClassDef):  # rows = …, later read as Data.rows
        for statement in node.body:
            for target in statement.targets if isinstance(statement, ast.Assign) else ():
                if isinstance(target, ast.Name):
                    yield {f".{target.id}"}, [target]
    if isinstance(node, ast.Assign):
        yield {name for target in node.targets for name in changed(target)}, [node.value]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
        yield set(changed(node.target)), [node.value] if node.value else []
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield set(changed(node.target)), [node.iter]
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield set(changed(item.optional_vars)), [item.context_expr]
    elif isinstance(node, ast.Match):
        yield set(captured(node)), [node.subject]
    elif isinstance(node, FUNCTIONS):
        yield {node.name, f".{node.name}"}, list(node.body)
        yield parameters(node), [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, ast.Call):
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        callee = called(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
        if function := functions.get(callee.removeprefix(".")):
            yield function, [*values]
        if inner := fills.get(callee.removeprefix(".")):  # def add(rows): rows.append(…)
            yield (
                {value.id for value in values if isinstance(value, ast.Name)},
                [ast.Name(name, ast.Load()) for name in inner],
            )
        if isinstance(node.func, ast.Attribute):  # rows.append(row)
            yield set(changed(node.func.value)), [*values]


def captured(match: ast.Match) -> Iterator[str]:
    """The names that the patterns of a `match` give values to."""
    for case in match.cases:
        for node in ast.walk(case.pattern):
            if isinstance(node, CAPTURES) and node.name:
                yield node.name
            elif isinstance(node, ast.MatchMapping) and node.rest:
                yield node.rest


def changed(target: ast.AST) -> Iterator[str]:
    """The names that an assignment to a target changes."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield f".{target.attr}"
        if not isinstance(target.value, ast.Name) or source_name(target.value.id) != "self":
            yield from changed(target.value)
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from changed(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from changed(element)


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """What a function's arguments are called inside."""
    return {argument.arg for argument in arguments(function.args)}


def plain(decorator: ast.AST) -> bool:
    """Whether a decorator leaves it to the script to call the function."""
    bare = decorator.func if isinstance(decorator, ast.Call) else decorator
    while isinstance(bare, ast.Attribute):
        bare = bare.value
    return isinstance(bare, ast.Name) and source_name(bare.id) in PLAIN


def defined(node: ast.AST) -> tuple[str, ...]:
    """Names that a definition, an import or an `except` binds; all, for a star."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    if isinstance(node, ast.Global | ast.Nonlocal):
        return tuple(node.names)
    if isinstance(node, ast.arg):
        return (node.arg,)
    name = getattr(node, "name", None)
    return (name,) if isinstance(name, str) else ()
