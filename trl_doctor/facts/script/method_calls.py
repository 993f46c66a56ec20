"""Calls of methods in a script, and those whose result is thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place, Spot
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.values import Span

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
    """Such calls of a data set's methods, also in a notebook. Raises as `tree` does else."""
    calls = _statements(facts)
    statements = [statement for part in _cells(facts) or [facts[tree]] for statement in part.body]
    data_sets = _data_sets(ast.Module(statements, []))
    return [call for call in calls if call.method in ROWS and call.name in data_sets]


def discarded_merges(facts: Facts) -> list[Called]:
    """Such calls that merge an adapter, also in a notebook. Raises as `tree` does else."""
    return [call for call in _statements(facts) if call.method in MERGES]


def calls_of_methods(facts: Facts) -> list[Called]:
    """All calls of methods in the script. Raises as `tree` does."""
    return list(_calls(facts, facts[tree]))


def tree(facts: Facts) -> ast.Module:
    """The script's syntax; raises `NotConcerned` for other targets, `Unavailable` for notebooks."""
    passed(facts)
    file = facts.run.file
    if isinstance(file, Unavailable) or file is None or file.path.suffix != ".py":
        raise Unavailable("only scripts are read for this")
    try:
        return ast.parse(file.data)
    except (SyntaxError, ValueError) as error:
        raise NotConcerned("the script cannot be parsed") from error


def _cells(facts: Facts) -> list[ast.Module]:
    """The cells of a notebook, an empty one where it cannot be parsed; [] for scripts."""
    passed(facts)
    file = facts.run.file
    if not isinstance(file, Script) or file.path.suffix != ".ipynb":
        return []
    cells: list[ast.Module] = []
    for piece in file.places.pieces:
        try:
            cells.append(piece.parsed())
        except Invalid:
            cells.append(ast.Module([], []))
    return cells


def _statements(facts: Facts) -> list[Called]:
    """Statements that are one call of a method and nothing else.

    The last one of a cell is left out: a notebook shows its result.
    """
    cells = _cells(facts)
    if not cells:
        parsed = facts[tree]
        alone = {id(node.value) for node in ast.walk(parsed) if isinstance(node, ast.Expr)}
        return [call for call in _calls(facts, parsed) if id(call.node) in alone]
    return [call for at, cell in enumerate(cells) for call in _in_cell(facts, at, cell)]


def _in_cell(facts: Facts, at: int, cell: ast.Module) -> Iterator[Called]:
    file = facts.run.file
    for node in ast.walk(ast.Module(cell.body[:-1], [])):
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            end = call.end_lineno or call.lineno, call.end_col_offset or call.col_offset
            span = Span(at, call.lineno, call.col_offset, *end)
            assert isinstance(file, Script)
            place = file.places.place("", span)
            yield Called(ast.unparse(call.func.value), call.func.attr, place, call)


def _calls(facts: Facts, parsed: ast.Module) -> Iterator[Called]:
    file = facts.run.file
    if isinstance(file, Unavailable) or file is None:
        return
    lines = file.data.decode(errors="replace").splitlines()
    for node in ast.walk(parsed):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            spot = Spot(node.lineno, node.col_offset + 1, lines[node.lineno - 1])
            name = ast.unparse(node.func.value)
            place = Place(file.path, spot=spot)
            yield Called(name, node.func.attr, place, node)


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
