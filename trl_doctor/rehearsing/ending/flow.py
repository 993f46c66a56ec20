"""Which statements of a script touch what a rehearsal has generated, read from its source.

A name of a function counts in that function only. Attributes count for the whole file, so that
rather too many statements are taken to touch it than too few.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, lru_cache

from msgspec import Struct

from trl_doctor.rehearsing.ending.bindings import (
    assigned,
    called,
    defined,
    filled,
    functions,
    header,
    mentioned,
    parameters,
    plain,
)
from trl_doctor.rehearsing.ending.scopes import FUNCTIONS, scoped
from trl_doctor.rehearsing.syntax import parsed

CHECKED = (ast.If, ast.While, ast.IfExp)
ROUNDS = 30


class Flow(Struct, frozen=True, dict=True):
    """`sources` are the lines that load what was generated, with its names."""

    source: str
    sources: tuple[tuple[int, str], ...]

    def touched(self, line: int) -> frozenset[str]:
        """What reaches the statement at a line, or decides whether it is reached at all."""
        statement = self._at(line)
        if statement is None:
            return self._everything
        return self.guarded(line).union(
            *map(self._mentioned, header(statement)), self._loaded(statement)
        )

    def guarded(self, line: int) -> frozenset[str]:
        """What decides whether the statement at a line is reached: all, in an `except`."""
        node: ast.AST | None = self._at(line)
        names: frozenset[str] = frozenset()
        while node is not None:
            above = self._parents.get(node)
            if isinstance(node, ast.ExceptHandler):
                return self._everything
            if isinstance(above, CHECKED) and node is not above.test:
                names |= self._mentioned(above.test)
            elif isinstance(above, ast.Match):
                names |= self._mentioned(above.subject)
            node = above
        return names

    def chosen(self, line: int) -> bool:
        """Whether parts of the statement at a line are reached in some cases only."""
        return any(isinstance(part, ast.IfExp | ast.BoolOp) or getattr(part, "ifs", ())
                   for part in self._parts(line))  # fmt: skip

    def unpacks(self, line: int) -> bool:
        """Whether a call at a line is given arguments with `*` or `**`."""
        return any(isinstance(part, ast.Starred) or (isinstance(part, ast.keyword) and not part.arg)
                   for part in self._parts(line))  # fmt: skip

    def reads(self, line: int, attribute: str) -> bool:
        """Whether the statement at a line spells out an attribute."""
        return any(
            isinstance(part, ast.Attribute) and part.attr == attribute for part in self._parts(line)
        )

    def binds(self, name: str) -> bool:
        """Whether anything in the file gives a value to a name."""
        for node in ast.walk(self._unscoped):
            if isinstance(node, ast.Name) and node.id == name:
                if not isinstance(node.ctx, ast.Load):
                    return True
            elif name in defined(node):
                return True
        return False

    @cached_property
    def _everything(self) -> frozenset[str]:
        return frozenset(name for _, name in self.sources)

    @cached_property
    def _unscoped(self) -> ast.Module:
        """The tree with the names that the source has: `scoped` changes another one."""
        return parsed(self.source)

    @cached_property
    def _tree(self) -> ast.Module:
        try:
            return scoped(parsed(self.source))
        except RecursionError:
            return ast.Module([], [])

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {
            below: node for node in ast.walk(self._tree) for below in ast.iter_child_nodes(node)
        }

    def _at(self, line: int) -> ast.stmt | None:
        """The innermost statement that has the line."""
        last: ast.stmt | None = None
        for node in ast.walk(self._tree):  # outer ones first
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
                last = node
        return last

    def _parts(self, line: int) -> Iterator[ast.AST]:
        """All that the statement at a line says itself."""
        statement = self._at(line)
        for part in header(statement) if statement else ():
            yield from ast.walk(part)

    def _loaded(self, node: ast.AST) -> frozenset[str]:
        """What a statement itself loads, or a function, or a call."""
        whole = isinstance(node, (*FUNCTIONS, ast.expr))
        lines: set[int] = set()
        for part in [node] if whole else header(node):
            for inner in ast.walk(part):
                lines.update(
                    range(getattr(inner, "lineno", 1), getattr(inner, "end_lineno", 0) + 1)
                )
        return frozenset(name for line, name in self.sources if line in lines)

    def _mentioned(self, node: ast.AST | None) -> frozenset[str]:
        return mentioned(node, self._tags)

    @cached_property
    def _tags(self) -> dict[str, frozenset[str]]:
        """What each name may come from; attributes begin with a dot."""
        tags: dict[str, frozenset[str]] = defaultdict(frozenset)
        nodes = list(ast.walk(self._tree))
        functions_, fills = functions(nodes), filled(nodes)
        self._from_outside(tags, nodes)
        loads: dict[ast.AST, frozenset[str]] = {inner: self._loaded(inner) for inner in nodes
                 if isinstance(inner, ast.stmt | ast.Call | ast.NamedExpr)}  # fmt: skip
        for _ in range(ROUNDS):
            before = sum(map(len, tags.values()))
            for node in nodes:
                for targets, values in assigned(node, functions_, fills):
                    names = loads.get(node, frozenset()).union(
                        *(mentioned(value, tags) for value in values)
                    )
                    for name in targets:
                        tags[name] |= names
            if sum(map(len, tags.values())) == before:
                break
        return tags

    def _from_outside(self, tags: dict[str, frozenset[str]], nodes: list[ast.AST]) -> None:
        """Functions that libraries call, with whatever they have."""
        direct = {id(inner.func) for inner in nodes if isinstance(inner, ast.Call)}
        names = {called(inner) for inner in nodes if isinstance(inner, ast.Name | ast.Attribute)
                 and isinstance(inner.ctx, ast.Load) and id(inner) not in direct}  # fmt: skip
        outside = [statement for node in nodes if isinstance(node, ast.ClassDef) and node.bases
                   for statement in node.body]  # fmt: skip
        at_once = {id(part) for inner in nodes if isinstance(inner, ast.Call) and _calls_back(inner)
                   for part in (*inner.args, *(key.value for key in inner.keywords))}  # fmt: skip
        for node in nodes:
            if isinstance(node, ast.Lambda) and id(node) not in at_once:
                for name in parameters(node):
                    tags[name] |= self._everything
            if not isinstance(node, FUNCTIONS):
                continue
            decorated = any(not plain(decorator) for decorator in node.decorator_list)
            if decorated or {node.name, f".{node.name}"} & names or node in outside:
                for name in parameters(node):
                    tags[name] |= self._everything


def _calls_back(call: ast.Call) -> bool:
    """Whether a call gives a function of its arguments nothing but values of the same line."""
    return isinstance(call.func, ast.Name) and call.func.id in ("sorted", "min", "max")


@lru_cache(maxsize=8)
def flow(source: str, sources: tuple[tuple[int, str], ...]) -> Flow:
    """What the script does with what was generated."""
    return Flow(source, sources)
