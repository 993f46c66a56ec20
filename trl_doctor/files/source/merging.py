"""What a script needs to merge its settings: loops over known entries, kinds, and recursion."""

from __future__ import annotations

import ast
from typing import Any

from trl_doctor.files.source.objects import Arguments, Function, Scope
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, NamedValue, Outside, Plain, Table, Unknown, Value

STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Expr, ast.Pass, ast.Continue)
FUNCTIONS = frozenset(
    ["isinstance", "setattr", "getattr", "hasattr", "dict", "list", "int", "float", "str", "len",
     "print"]
)  # fmt: skip
METHODS = frozenset(
    ["get", "items", "keys", "values", "copy", "deepcopy", "pop", "update", "setdefault", "append",
     "startswith", "endswith", "removeprefix", "lower", "strip", "replace", "split", "info",
     "debug", "warning"]
)  # fmt: skip

MAPPINGS = ("builtins.dict", "collections.abc.Mapping", "collections.abc.MutableMapping",
            "typing.Mapping", "typing.Dict")  # fmt: skip
LIKE = frozenset({"omegaconf", "hydra", "ml_collections", "wandb", "box"})
"""Packages with dictionaries of their own, which are no `dict`."""

TAKES = frozenset({"pop", "popitem", "clear"})
"""Methods of a dictionary that take entries away."""

MOST_TURNS = 6
"""Calls of a function by itself that are followed."""


def settles(state: State, node: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop only puts values in their places, so that it can be read step by step."""
    if state.exact:
        return True
    own = {getattr(function, "name", "") for function in state.stack}
    for statement in node.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.stmt) and not isinstance(inner, STATEMENTS):
                return False
            if not isinstance(inner, ast.Call):
                continue
            plain = isinstance(inner.func, ast.Name) and inner.func.id in FUNCTIONS | own
            method = isinstance(inner.func, ast.Attribute) and inner.func.attr in METHODS | own
            if not (plain or method):
                return False
    return True


def may_recur(state: State, callee: Function, handed: Arguments) -> bool:
    """Whether a function may be followed that calls itself: what it is given is known."""
    values = [*handed.values, *(word.value for word in handed.keywords.values())]
    known = all(isinstance(value, Plain | Table) and _whole(value) for value in values)
    turns = state.stack.count(callee.node)
    return (
        bool(values) and known and not state.guards and handed.rest is None and turns < MOST_TURNS
    )


def _whole(value: Value) -> bool:
    return not isinstance(value, Table) or value.rest is None


def parts(name: str, owner: Table) -> Many | None:
    """`keys()`, `values()` and `items()` of a dictionary; None if not all of it is known."""
    if owner.rest is not None or any(entry.perhaps for entry in owner.entries.values()):
        return None
    entries = owner.entries.items()
    if name == "keys":
        return Many([Plain(key) for key, _ in entries])
    if name == "values":
        return Many([entry.value for _, entry in entries])
    return Many([Many([Plain(key), entry.value], kind="tuple") for key, entry in entries])


def blur(owner: Table, why: Unknown) -> None:
    """Say that a dictionary got entries which are not known: they may replace any other."""
    owner.rest = owner.rest or why
    owner.entries = {key: NamedValue(why, entry.name, entry.whole)
                     for key, entry in owner.entries.items()}  # fmt: skip


def take(owner: Table, key: Any, perhaps: Value | None) -> None:
    """Take an entry away; where the line is perhaps not run, it has this value, or is gone."""
    entry = owner.entries.pop(key, None)
    if entry is not None and perhaps is not None:
        owner.entries[key] = NamedValue(perhaps, entry.name, entry.whole, perhaps=True)


def loosen(owner: Table, why: Unknown) -> None:
    """Say that some entries of a dictionary, it is not known which, are perhaps gone."""
    owner.entries = {key: NamedValue(why, entry.name, entry.whole, perhaps=True)
                     for key, entry in owner.entries.items()}  # fmt: skip


def loosen_all(state: State, node: ast.AST, scope: Scope) -> None:
    """Loosen the dictionaries from which an expression that is not read takes entries away."""
    for call in ast.walk(node):
        method = call.func if isinstance(call, ast.Call) else None
        if not isinstance(method, ast.Attribute) or method.attr not in TAKES:
            continue
        owner = scope.find(method.value.id) if isinstance(method.value, ast.Name) else None
        if isinstance(owner, Table):
            loosen(owner, state.unknown(call))


def is_of(state: State, value: Value, kind: Value) -> bool | None:
    """`isinstance(value, dict)` and `list`; None if that is not known, or asks for another."""
    if isinstance(kind, Many):
        each = [is_of(state, value, one) for one in kind.items]
        return None if not each or None in each else any(each)
    name = kind.name if isinstance(kind, Outside) else ""
    if not isinstance(value, Plain | Table) or LIKE & state.roots:
        return None
    if name in MAPPINGS:
        return isinstance(value, Table)
    return False if name in ("builtins.list", "builtins.tuple") else None
