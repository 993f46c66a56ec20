"""Lists that a script makes from the same rows, changes apart, and puts together again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code


class Apart(Struct, frozen=True):
    """`changed` was `how` ("shuffled", "sorted", "filtered"), `other` was not; `place` says where.

    `together` is the expression that pairs them again.
    """

    changed: str
    other: str
    how: str
    place: Place
    together: str


class Column(Struct, frozen=True):
    """A list with a value for each of the rows of `source` that fulfil `condition`."""

    source: str
    condition: str
    node: ast.Assign


NEGATIVE = re.compile(r"reject|wrong|negativ|mismatch|distract|shuffl|permut|random|lose")
"""Parts of the names of answers that shall be those of other questions."""

SHUFFLES = ("shuffle",)
SORTS = ("sort", "reverse")


def lists_apart(facts: Facts) -> list[Apart]:
    """Such pairs of lists, each once. Raises as `code` does."""
    parsed = facts[code]
    pairs = [
        Apart(name, other, how, parsed.place(node), ast.unparse(together))
        for part in parsed.parts
        for name, other, how, node, together in _apart(part)
    ]
    return list({(pair.changed, pair.other): pair for pair in pairs}.values())


def _apart(
    part: ast.Module,
) -> Iterator[tuple[str, str, str, ast.expr | ast.stmt, ast.expr]]:
    columns = _columns(part)
    moved = _moved(part, columns)
    for names, together in _together(part, columns):
        for name in names:
            if NEGATIVE.search(name) or NEGATIVE.search(_key(name, together)):
                continue
            for other in names:
                if name == other or columns[name].source != columns[other].source:
                    continue
                change = moved.get(name)
                if change and other not in moved and _between(columns[name], change[1], together):
                    yield name, other, change[0], change[1], together
                chosen = columns[name].condition
                if chosen and not columns[other].condition and _is_zip(together):
                    yield name, other, "filtered", columns[name].node, together


def _key(name: str, together: ast.expr) -> str:
    """The column that gets a list, where a dictionary says so."""
    pairs = (
        zip(together.keys, together.values, strict=True) if isinstance(together, ast.Dict) else ()
    )
    keys = (key for key, value in pairs if _named(value) == name)
    return next((str(key.value) for key in keys if isinstance(key, ast.Constant)), "")


def _columns(part: ast.Module) -> dict[str, Column]:
    """The lists by their names; a name that gets another value later is left out."""
    columns: dict[str, Column] = {}
    assigned: list[str] = []
    for node in ast.walk(part):
        if not isinstance(node, ast.Assign):
            continue
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        assigned += names
        column = _column(node)
        if column and len(names) == 1:
            columns[names[0]] = column
    return {name: column for name, column in columns.items() if assigned.count(name) == 1}


def _column(node: ast.Assign) -> Column | None:
    value = node.value
    if isinstance(value, ast.ListComp) and len(value.generators) == 1:
        (loop,) = value.generators
        conditions = " and ".join(ast.unparse(test) for test in loop.ifs)
        return Column(ast.unparse(loop.iter), conditions, node)
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr in ("tolist", "to_list"):
            value = value.func.value
        elif ast.unparse(value.func) == "list" and len(value.args) == 1:
            value = value.args[0]
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        named = isinstance(value.slice.value, str)
        return Column(ast.unparse(value.value), "", node) if named else None
    return None


def _moved(part: ast.Module, columns: dict[str, Column]) -> dict[str, tuple[str, ast.expr]]:
    """The lists whose order a statement changes: how, and where."""
    moved: dict[str, tuple[str, ast.expr]] = {}
    for node in ast.walk(part):
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        owner, method = call.func.value, call.func.attr
        if method in SHUFFLES and len(call.args) == 1 and isinstance(call.args[0], ast.Name):
            moved[call.args[0].id] = "shuffled", call
        elif method in SORTS and isinstance(owner, ast.Name):
            moved[owner.id] = "sorted" if method == "sort" else "reversed", call
    return {name: change for name, change in moved.items() if name in columns}


def _together(part: ast.Module, columns: dict[str, Column]) -> Iterator[tuple[list[str], ast.expr]]:
    """What pairs several of the lists: `zip(…)`, or a dictionary of columns."""
    for node in ast.walk(part):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call) and _is_zip(node) and not node.keywords:
            values = node.args
        elif isinstance(node, ast.Dict):
            values = node.values
        names = [name for value in values if (name := _named(value)) in columns]
        if len(set(names)) > 1 and isinstance(node, ast.expr):
            yield names, node


def _named(value: ast.expr) -> str:
    """The list that a value has all of, in its order; "" if that is not known."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("list", "tuple") and value.args:
        value = value.args[0]
    if isinstance(value, ast.ListComp) and len(value.generators) == 1:
        (loop,) = value.generators
        value = value if loop.ifs else loop.iter
    return value.id if isinstance(value, ast.Name) else ""


def _is_zip(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "zip"


def _between(column: Column, change: ast.expr, together: ast.expr) -> bool:
    return column.node.lineno < change.lineno < together.lineno
