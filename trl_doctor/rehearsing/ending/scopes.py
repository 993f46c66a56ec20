"""Tells equal names of two scopes of a source apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)
CAPTURES = (ast.MatchAs, ast.MatchStar)
MARK = "@"
"""The mark between a local name and the number of its scope."""

Nodes: TypeAlias = Sequence[ast.AST | None]


class Scope(Struct, frozen=True):
    """A number, the names that it binds and that it calls global, and whether it is a class."""

    number: int
    names: frozenset[str]
    shared: frozenset[str]
    of_class: bool


def scoped(tree: ast.Module) -> ast.Module:
    """The same tree, changed: `rows` of the third scope is called `rows@3`, everywhere in it.

    Names of the module and those in the body of a class stay as they are.
    """
    _Names().visit(tree, ())
    return tree


def source_name(name: str) -> str:
    """A name as the source has it."""
    return name.partition(MARK)[0]


def arguments(signature: ast.arguments) -> list[ast.arg]:
    """The arguments of a function, of every kind."""
    starred = [argument for argument in (signature.vararg, signature.kwarg) if argument is not None]
    return [*signature.posonlyargs, *signature.args, *signature.kwonlyargs, *starred]


class _Names:
    def __init__(self) -> None:
        self._last = 0

    def visit(self, node: ast.AST, scopes: tuple[Scope, ...]) -> None:
        _rename(node, scopes)
        if not isinstance(node, SCOPES):
            for below in ast.iter_child_nodes(node):
                self.visit(below, scopes)
            return
        outside, inside = _parts(node)
        self._all(outside, scopes)
        self._last += 1
        shared = {
            name for node in _own(inside) if isinstance(node, ast.Global) for name in node.names
        }
        names = set(_bound(node, inside)) - shared
        scope = Scope(
            self._last, frozenset(names), frozenset(shared), isinstance(node, ast.ClassDef)
        )
        self._all(inside, (*scopes, scope))

    def _all(self, nodes: Nodes, scopes: tuple[Scope, ...]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, scopes)


def _rename(node: ast.AST, scopes: tuple[Scope, ...]) -> None:
    if isinstance(node, ast.Name):
        node.id = _new_name(node.id, scopes)
    elif isinstance(node, ast.arg):
        node.arg = _new_name(node.arg, scopes)
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef, *CAPTURES)):
        node.name = _new_name(node.name, scopes) if node.name else None
    elif isinstance(node, ast.MatchMapping) and node.rest:
        node.rest = _new_name(node.rest, scopes)


def _new_name(name: str, scopes: tuple[Scope, ...]) -> str:
    for depth, scope in enumerate(reversed(scopes)):
        if name in scope.shared:
            return name
        if name in scope.names and scope.of_class:
            if depth == 0:  # functions in a class do not see its names
                return name
        elif name in scope.names:
            return f"{name}{MARK}{scope.number}"
    return name


def _parts(node: ast.AST) -> tuple[Nodes, Nodes]:
    """What of a scope belongs to the one around it, and what to itself."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords], node.body
    if isinstance(node, COMPREHENSIONS):
        first, *others = node.generators
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return [first.iter], [first.target, *first.ifs, *others, *results]
    assert isinstance(node, (*FUNCTIONS, ast.Lambda))
    listed = arguments(node.args)
    around: list[ast.AST | None] = [*node.args.defaults, *node.args.kw_defaults]
    around += [item.annotation for item in listed]
    if isinstance(node, ast.Lambda):
        return around, [*listed, node.body]
    return [*around, *node.decorator_list, node.returns], [*listed, *node.body]


def _own(inside: Nodes) -> Iterator[ast.AST]:
    """All nodes of a scope but those of the scopes in it."""
    for node in inside:
        if node is None:
            continue
        yield node
        if isinstance(node, ast.arg):
            continue
        if isinstance(node, SCOPES):
            yield from _own(_parts(node)[0])
        else:
            yield from _own(list(ast.iter_child_nodes(node)))


def _bound(scope: ast.AST, inside: Nodes) -> Iterator[str]:
    """The names that a scope gives values to."""
    elsewhere: set[str] = set()
    for node in _own(inside):
        if isinstance(node, ast.Nonlocal):
            elsewhere.update(node.names)
    by_walrus = set(_by_walrus(inside))
    for node in _own(inside):
        for name in _binds(node):
            if name not in elsewhere and not (
                isinstance(scope, COMPREHENSIONS) and name in by_walrus
            ):
                yield name
    if not isinstance(scope, COMPREHENSIONS):
        for node in _own(inside):
            if isinstance(node, COMPREHENSIONS):
                yield from set(_by_walrus([node])) - elsewhere


def _by_walrus(nodes: Nodes) -> Iterator[str]:
    """What `:=` gives values to: in a comprehension it binds names of the scope around it."""
    for node in nodes:
        for inner in ast.walk(node) if node is not None else ():
            if isinstance(inner, ast.NamedExpr):
                yield inner.target.id


def _binds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, (*CAPTURES, ast.ExceptHandler)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
