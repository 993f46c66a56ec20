"""Whether what a function reads of its script is the same whenever it is called."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import LibraryObject, Value

Place: TypeAlias = tuple[str, int, int]
"""The kind of a node, its line and its column."""

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
CHANGING = frozenset({
    "add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse",
    "setdefault", "sort", "update",
})  # fmt: skip
"""Methods that change a list, a dictionary or a set itself."""

LOADS = "from_pretrained"


class Known(Struct, frozen=True):
    """What the text of a piece binds and changes, by names."""

    changed: frozenset[str]
    stored: Counter[str]
    bound: Counter[str]
    declared: frozenset[str]
    sets_by_name: bool
    around: dict[Place, tuple[ast.AST, ...]]


def steady(read: Iterable[Function], pieces: Sequence[Piece]) -> bool:
    """Whether each name and attribute that these functions read gets its value once, for good."""
    found = [_known(piece.text) for piece in pieces]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return False
    stored = sum((one.stored for one in known), Counter[str]())
    for function in read:
        names, attributes = _read_by(function.node)
        if attributes and any(one.sets_by_name for one in known):
            return False
        loaded = {name for name in names if _is_loaded(function.scope.find(name))}
        read_parts = (names - loaded) | attributes
        if any(one.changed & read_parts for one in known) or names & stored.keys():
            return False
        if any(stored[name] > 1 for name in attributes):
            return False
        path = pieces[function.source].path
        own = [one for one, piece in zip(known, pieces, strict=True) if piece.path == path]
        around = known[function.source].around.get(_place(function.node), ())
        if any(_bindings(name, around, own) > 1 for name in names):
            return False
    return True


def _is_loaded(value: Value | None) -> bool:
    """Whether it is an object that a library loads: what it gives is asked by its reader."""
    return isinstance(value, LibraryObject) and value.short == LOADS


@lru_cache(maxsize=16)
def _known(text: str) -> Known | None:
    try:
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        around: dict[Place, tuple[ast.AST, ...]] = {}
        _find(tree, (), around)
        bound = Counter(name for node in tree.body for name in _bound(node, False))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    targets = [changed(node) for node in nodes]
    return Known(
        frozenset(getattr(target, "id", getattr(target, "attr", "")) for target in targets) - {""},
        Counter(node.attr for node in nodes
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)),
        bound,
        frozenset(name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal)
                  for name in node.names),
        any(map(_sets_by_name, nodes)),
        around,
    )  # fmt: skip


def _read_by(function: ast.AST) -> tuple[set[str], set[str]]:
    """The names that a function reads and does not bind itself, and the attributes it reads."""
    called = {id(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    names, attributes, own = set[str](), set[str](), set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (names if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Attribute) and id(node) not in called:
            attributes.add(node.attr)
    return names - own, attributes


def _sets_by_name(node: ast.AST) -> bool:
    name = node.func if isinstance(node, ast.Call) else None
    return isinstance(name, ast.Name) and name.id in ("setattr", "globals", "exec", "vars")


def changed(node: ast.AST) -> ast.AST | None:
    """The name or attribute of which a node changes a part; None if it changes none."""
    target: ast.AST | None = None
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        target = node.func.value if node.func.attr in CHANGING else None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _place(node: ast.AST) -> Place:
    return type(node).__name__, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _find(
    node: ast.AST, above: tuple[ast.AST, ...], around: dict[Place, tuple[ast.AST, ...]]
) -> None:
    """Note the functions around each function, from the inside."""
    if isinstance(node, SCOPES):
        around[_place(node)] = above
        above = above if isinstance(node, ast.ClassDef) else (node, *above)
    for child in ast.iter_child_nodes(node):
        _find(child, above, around)


def _bindings(name: str, around: Sequence[ast.AST], modules: Sequence[Known]) -> int:
    """How often the scope that has a name gives it a value; a loop does so often."""
    for scope in around:
        given = (n for node in ast.iter_child_nodes(scope) for n in _bound(node, False))
        if count := sum(n == name for n in given):
            return count
    return sum(one.bound[name] + 2 * (name in one.declared) for one in modules)


def _bound(node: ast.AST, loops: bool) -> Iterator[str]:
    """The names to which a node gives a value in its own scope, twice where it does so often."""
    times = 2 if loops or isinstance(node, LOOPS) else 1
    if isinstance(node, SCOPES):
        yield from [getattr(node, "name", "")] * times
    elif not isinstance(node, COMPREHENSIONS):
        for name in _given(node):
            yield from [name] * times
        for child in ast.iter_child_nodes(node):
            yield from _bound(child, times > 1)


def _given(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
