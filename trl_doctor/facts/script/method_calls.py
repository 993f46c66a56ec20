"""Calls of methods in a script, and those whose result is thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import code

ROWS = frozenset(
    ("map", "filter", "shuffle", "select", "rename_column", "rename_columns", "remove_columns",
     "select_columns", "cast", "cast_column", "add_column", "sort", "train_test_split", "flatten",
     "with_format", "with_transform", "take", "skip", "repeat", "class_encode_column")
)  # fmt: skip
"""Methods of data sets that return a new one."""

MADE = ("load_dataset", "load_from_disk", "from_list", "from_dict", "from_pandas", "from_generator",
        "from_json", "from_csv", "concatenate_datasets", "interleave_datasets")  # fmt: skip
MERGES = ("merge_and_unload",)


class Called(Struct, frozen=True):
    """A call `name.method(…)`, a statement of its own or a part of one."""

    name: str
    method: str
    place: Place
    node: ast.Call


def discarded_rows(facts: Facts) -> list[Called]:
    """Such calls of a data set's methods. Raises as `code` does."""
    data_sets = _data_sets(facts[code].whole)
    return [call for call in _statements(facts) if call.method in ROWS and call.name in data_sets]


def discarded_merges(facts: Facts) -> list[Called]:
    """Such calls that merge an adapter. Raises as `code` does."""
    return [call for call in _statements(facts) if call.method in MERGES]


def calls_of_methods(facts: Facts) -> list[Called]:
    """All calls of methods in the code. Raises as `code` does."""
    return list(_called(facts, ast.walk(facts[code].whole)))


def _statements(facts: Facts) -> list[Called]:
    """Statements that are one call of a method and nothing else.

    The last one of a cell is left out: a notebook shows its result.
    """
    parsed = facts[code]
    shown = {id(part.body[-1]) for part in parsed.parts if parsed.notebook and part.body}
    alone = [
        node.value
        for node in ast.walk(parsed.whole)
        if isinstance(node, ast.Expr) and id(node) not in shown
    ]
    return list(_called(facts, alone))


def _called(facts: Facts, nodes: Iterable[ast.AST]) -> Iterator[Called]:
    parsed = facts[code]
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield Called(ast.unparse(node.func.value), node.func.attr, parsed.place(node), node)


def _data_sets(parsed: ast.Module) -> set[str]:
    """The names that hold a data set, as far as assignments show it."""
    names: set[str] = set()
    for _ in range(2):  # a name may be used in a function before the line that gives it a value
        for node in ast.walk(parsed):
            if isinstance(node, ast.Assign) and _gives_rows(node.value, names):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _gives_rows(value: ast.expr, data_sets: set[str]) -> bool:
    """Whether an expression is a data set: made here, or derived from one by its methods."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Call):
            function = value.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in MADE:
                return True
            if not isinstance(function, ast.Attribute) or name not in ROWS:
                return False
            value = function.value
        else:
            return isinstance(value, ast.Name) and value.id in data_sets
