"""Lists and dicts that the objects of a class share, because the class makes them once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.tools import environments
from trl_doctor.files.source.objects import Class

MAKERS = frozenset(["list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"])
CHANGES = frozenset(
    ["append", "extend", "insert", "add", "update", "remove", "discard", "pop", "popleft",
     "appendleft", "popitem", "setdefault", "clear"]
)  # fmt: skip
"""Methods that change a list, a dict or a set."""

MEANT = re.compile(
    r"cache|memo|log|stat|metric|registr|instance|class|global|shared|all_|pool|total|seen",
    re.IGNORECASE,
)
"""Names of what all objects of a class may be meant to have together."""


def shared(facts: Facts) -> Iterator[tuple[str, str, int]]:
    """What the classes of environments make for all their objects: class, name and line."""
    for value in dict.fromkeys(environments(facts).values()):
        if isinstance(value, Class):
            yield from ((value.node.name, name, line) for name, line in _shared(value))


def _shared(cls: Class) -> Iterator[tuple[str, int]]:
    """What the class makes, its methods change through `self` and no object makes anew, by line."""
    if cls.node.decorator_list:
        return
    made = {name: line for name, line in _made(cls.node) if not MEANT.search(name)}
    methods = [node for node in ast.walk(cls.node) if isinstance(node, ast.Attribute)]
    anew = {node.attr for node in methods if isinstance(node.ctx, ast.Store) and _of_self(node)}
    changed = set(_changed(cls.node)) - anew
    yield from ((name, line) for name, line in made.items() if name in changed)


def _made(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            continue
        if isinstance(target, ast.Name) and _can_change(value):
            yield target.id, statement.lineno


def _can_change(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
        return (value.func.id if isinstance(value.func, ast.Name) else name) in MAKERS
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp))


def _changed(node: ast.ClassDef) -> Iterator[str]:
    """Attributes of `self` of which a method changes a part."""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            holder: ast.expr = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            holder = part.func.value if part.func.attr in CHANGES else part
        else:
            continue
        while isinstance(holder, ast.Subscript):
            holder = holder.value
        if isinstance(holder, ast.Attribute) and _of_self(holder):
            yield holder.attr


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"
