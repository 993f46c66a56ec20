"""Which sections of a loaded file the script's code hands on as a whole: nobody sees their keys."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

TAKES_ALL = frozenset({"items", "values", "keys", "copy"})
"""Methods of a mapping that give all of its keys."""

UPDATES = frozenset({"update", "merge", "create", "dict", "vars", "setattr"})
"""Calls that read all keys of what they are given."""

LOOKS = frozenset({"print", "pprint", "len", "bool", "isinstance", "dump", "dumps", "safe_dump"})
LOADS = frozenset({"load", "loads", "safe_load", "full_load", "unsafe_load"})
ROOT = ""
"""The whole file, among the keys of sections."""


def whole_sections(nodes: Sequence[ast.AST]) -> set[str] | None:
    """The keys of such sections; None where they may be all: of the whole file, of a parameter."""
    names = _Names(nodes)
    found: set[str] = set()
    for node in nodes:
        for value in _handed_on(node, names):
            keys = names.sections(value)
            if keys is None:
                return None
            found |= keys
        for value in _given(node, names):
            found |= names.sections(value) or set()
    return None if ROOT in found else found


def _given(node: ast.AST, names: _Names) -> list[ast.expr]:
    """What a library's function is given: it may read all keys."""
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    given = [*node.args, *(one.value for one in node.keywords if one.arg)]
    return [] if name in names.functions | LOOKS else given


def _handed_on(node: ast.AST, names: _Names) -> Iterator[ast.expr]:
    """What a part of the code takes as a whole."""
    if isinstance(node, ast.Dict):
        yield from (value for key, value in zip(node.keys, node.values) if key is None)
    elif isinstance(node, (ast.For, ast.comprehension)):
        if ast.unparse(node.iter) in names.by_variable.get(ast.unparse(node.target), ()):
            yield node.iter
    elif isinstance(node, ast.Call):
        yield from (one.value for one in node.keywords if one.arg is None)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in TAKES_ALL and isinstance(node.func, ast.Attribute):
            yield node.func.value
        elif name in UPDATES:
            yield from node.args


class _Names:
    """What the names of the code stand for, by all that is assigned to them."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self.functions: set[str] = set()
        self.parameters: set[str] = set()
        self.rests: set[str] = set()
        self.assigned: dict[str, list[ast.expr]] = {}
        self.by_variable: dict[str, set[str]] = {}
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                arguments = node.args
                self.functions.add(getattr(node, "name", ""))
                self.parameters.update(
                    one.arg
                    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                )
                if arguments.kwarg:
                    self.rests.add(arguments.kwarg.arg)
            elif isinstance(node, (ast.For, ast.comprehension)):
                targets = ast.walk(node.target)
                self.parameters.update(one.id for one in targets if isinstance(one, ast.Name))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.assigned.setdefault(target.id, []).append(node.value)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self.assigned.setdefault(ast.unparse(node.target), []).append(node.value)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
                self.by_variable.setdefault(node.slice.id, set()).add(ast.unparse(node.value))

    def sections(self, value: ast.expr, depth: int = 0) -> set[str] | None:
        """The keys of sections that an expression may be; None for what a caller gives."""
        if depth > 4:
            return None
        if isinstance(value, ast.Subscript):
            key = value.slice
            return {key.value} if isinstance(key, ast.Constant) and isinstance(key.value, str) \
                else set()  # fmt: skip
        if isinstance(value, ast.Call):
            return self._of_call(value)
        parts = {ast.BoolOp: "values", ast.IfExp: "body orelse"}.get(type(value), "")
        several = [getattr(value, part) for part in parts.split()]
        if isinstance(value, ast.Name):
            if value.id in self.parameters - self.rests and value.id not in self.assigned:
                return None
            several = self.assigned.get(value.id, [])
        found: set[str] = set()
        for one in several[0] if isinstance(value, ast.BoolOp) else several:
            keys = self.sections(one, depth + 1)
            if keys is None:
                return None
            found |= keys
        return found

    def _of_call(self, call: ast.Call) -> set[str]:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in LOADS:
            return {ROOT}
        if name in ("get", "pop") and call.args and isinstance(call.args[0], ast.Constant):
            return {str(call.args[0].value)}
        return set()
