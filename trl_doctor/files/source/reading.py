"""Reads a script or notebook from its first line to its last, without running any of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeGuard

from msgspec import Struct

from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source import expressions, functions, statements
from trl_doctor.files.source.command_line import commands
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.notebooks import marimo
from trl_doctor.files.source.notebooks.started import written_by, written_files
from trl_doctor.files.source.objects import Arguments, Class, Function, Instance, Scope, of_library
from trl_doctor.files.source.state import Question, State, TooMuch, many_frames
from trl_doctor.files.source.text import UNKNOWN_NAME, Piece, pieces
from trl_doctor.files.source.values import LibraryObject, NamedValue, Span, Unknown, Value

ASSIGNED = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?:[-+*/|&]?=[^=])", re.MULTILINE)
"""The names that a line sets, as far as text shows it."""


class Start(Struct, frozen=True):
    """How the script is started: its command line (None: not given), and its environment.

    `cells` are those of a notebook that write the script, by their index; none for the notebook.
    `files` are the texts of files that the launch file contains, by their names, `folders` those
    that it may start in.
    """

    argv: tuple[str, ...] | None = None
    environment: tuple[tuple[str, str], ...] = ()
    cells: tuple[int, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    folders: tuple[Path, ...] = ()


class Reading(Struct, frozen=True, eq=False):
    """What was read: every object of a library in the order in which it is made.

    `incomplete` says why the script was not read to its end; "" if it was. `faults` are the
    cells of a notebook that are no Python.
    """

    state: State
    scope: Scope
    incomplete: str = ""
    faults: tuple[tuple[Span, str], ...] = ()
    trees: tuple[ast.Module, ...] = ()

    def unreached(self) -> str:
        """A call of a trainer that reading did not come to, "GRPOTrainer (line 8)"; "" for none."""
        own = {node.name for tree in self.trees for node in ast.walk(tree) if _is_apart(node)}
        for number, tree in enumerate(self.trees):
            for node in ast.walk(tree):
                name = _called(node)
                if name.endswith("Trainer") and name not in own:
                    span = Span(number, getattr(node, "lineno", 1), 0, 1, 0)
                    return f"{name} ({self.state.place(span)})"
        return ""

    @property
    def made(self) -> list[LibraryObject]:
        """The objects of libraries, the first made first."""
        return self.state.made


def read_source(
    path: Path,
    data: bytes,
    start: Start | None = None,
    default: Callable[[Question], Value | None] = lambda question: None,
) -> Reading:
    """Read these bytes of a script or notebook; raises `Invalid` if they are no Python.

    Without a command line an option, a variable or a file that the script asks for may be missing
    here: it is read once more, past the errors with which it says so.
    """
    start = start or Start()
    reading = _read(path, data, start, default, past=False)
    if reading.state.raised is None or start.argv is not None:
        return reading
    past = _read(path, data, start, default, past=True)
    return past if any(made.trains for made in past.made) else reading


def _read(
    path: Path, data: bytes, start: Start, default: Callable[[Question], Value | None], past: bool
) -> Reading:
    all_cells = pieces(path, data)
    cells = written_by(all_cells, start.cells) if start.cells else all_cells
    trees, faults = _trees(cells)
    state = State(
        path.parent,
        start.argv,
        dict(start.environment),
        default,
        expressions.evaluate,
        statements.block,
        list(cells),
        written={path.parent / name: parts for name, parts in written_files(all_cells).items()},
        texts=dict(start.files),
        starts=start.folders,
        past=past,
    )
    scope, incomplete = Scope(), ""
    try:
        with many_frames():
            for number, tree in enumerate(trees):
                state.source = number
                statements.block(state, tree.body, scope)
            _uncalled(state, scope)
    except TooMuch:
        incomplete = "the script does too much to be read to its end"
    except RecursionError:
        incomplete = "the script nests too deep to be read to its end"
    return Reading(state, scope, incomplete, faults, tuple(trees))


def _is_apart(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    """Whether it is a class that extends no trainer."""
    bases = map(last_name, node.bases) if isinstance(node, ast.ClassDef) else ["Trainer"]
    return not any(base.endswith("Trainer") for base in bases)


def _called(node: ast.AST) -> str:
    """The last part of the name that a call calls; "" if it is none."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def _trees(cells: list[Piece]) -> tuple[list[ast.Module], tuple[tuple[Span, str], ...]]:
    """The trees of all pieces; cells of a notebook that are not Python are left out and
    reported.
    """
    trees, faults = [], []
    for number, cell in enumerate(cells):
        try:
            trees.append(marimo.unfolded(cell.parsed()))
        except Invalid as error:
            if cell.cell is None or error.flaw != "invalid" or error.at is None:
                raise
            line, column = error.at.line, error.at.column - 1
            faults.append((Span(number, line, column, line, column), error.problem))
            trees.append(_unknown_names(cell.text))
    if faults and len(faults) == len(cells):
        raise Invalid(faults[0][1])
    return trees, tuple(faults)


def _unknown_names(text: str) -> ast.Module:
    """What replaces a cell that cannot be read: the names that it sets are not known then."""
    names = dict.fromkeys(ASSIGNED.findall(text))
    return ast.parse("\n".join(f"{name} = {UNKNOWN_NAME}" for name in names))


def _uncalled(state: State, scope: Scope) -> None:
    """Run the functions that nothing in the script calls, if no trainer was made without them.

    Something outside calls them (a launcher, a decorator): their arguments are unknown then.
    """
    if any(made.trains and not _is_ray(made) for made in state.made):
        return
    for function, owner in _functions(scope):
        if function.node in state.called or not _names_trainer(function.node):
            continue
        state.main = True
        if commands.is_command(function):
            functions.enter(state, function, function.node)
            continue
        handed = Arguments([], {}, None)
        functions.function(state, _open(state, function, owner), handed, function.node)


def _is_ray(made: LibraryObject) -> bool:
    """Whether it is one of Ray's trainers, which only call the script's own function."""
    return made.of.startswith("ray.")


def _functions(scope: Scope) -> Iterator[tuple[Function, Class | None]]:
    for value in list(scope.names.values()):
        if isinstance(value, Function):
            yield value, None
        elif isinstance(value, Class):
            for member in list(value.members.values()):
                if isinstance(member, Function):
                    yield member, value


def _open(state: State, function: Function, cls: Class | None) -> Function:
    """The function with the object that it is a method of, which something outside makes."""
    if cls is None:
        return function
    rest = Unknown(f"{cls.node.name} is made elsewhere", state.span(function.node))
    text = ast.unparse(cls.node)
    if of_library(cls) is not None or "setattr(self" in text or "self.__dict__" in text:
        return functions.owned(function, rest)
    owner = Instance(cls, {}, rest)
    start = cls.member("__init__")
    if isinstance(start, Function) and not _names_trainer(start.node):
        handed = Arguments([], {}, rest)
        functions.function(state, functions.owned(start, owner), handed, start.node)
    for name, member in cls.all_members().items():
        if not isinstance(member, Function) or name == "__init__":
            continue
        owner.attributes.update({set_: NamedValue(rest) for set_ in _sets(member.node)})
        if _is_open(member, cls):
            owner.attributes[name] = NamedValue(rest)
    return functions.owned(function, owner)


def _is_open(member: Function, cls: Class) -> bool:
    """Whether a class that derives from this one has another method of that name, or must."""
    others = [value for value in cls.scope.top.names.values() if isinstance(value, Class)]
    derived = [other for other in others if any(base is cls for base in other.bases)]
    body = getattr(member.node, "body", [])
    does = [one for one in body if not isinstance(one, ast.Raise | ast.Pass)]
    does = [one for one in does if not isinstance(getattr(one, "value", None), ast.Constant)
            or isinstance(one, ast.Return)]  # fmt: skip
    return not does or any(member.name in other.members for other in derived)


def _sets(node: ast.AST) -> Iterator[str]:
    """The attributes of `self` that a method sets: whether it ran before is not known."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Attribute) or not isinstance(inner.ctx, ast.Store):
            continue
        if isinstance(inner.value, ast.Name) and inner.value.id == "self":
            yield inner.attr


def _names_trainer(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Name | ast.Attribute)
        and (inner.id if isinstance(inner, ast.Name) else inner.attr).endswith("Trainer")
        for inner in ast.walk(node)
    )
