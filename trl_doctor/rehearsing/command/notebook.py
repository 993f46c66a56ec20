"""A notebook as the script that a rehearsal runs, and the way back from its lines to the cells."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Spot
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.notebooks.cells import Cells
from trl_doctor.files.source.notebooks.started import files_of
from trl_doctor.files.source.text import UNKNOWN_NAME, Piece, pieces

FIRST = f"display, {UNKNOWN_NAME} = print, []  # what Jupyter gives to cells\n"


class Notebook(Struct, frozen=True, eq=False, dict=True):
    """The code cells of a notebook, one after the other, without magics.

    `cells` are those that make up the script: all of them, or those that write the script
    `started`, which a line of the notebook starts. `written` are the files that cells write.
    `above` are the cells above that line, which run before it.
    """

    path: Path
    cells: tuple[Piece, ...]
    data: bytes
    written: Mapping[str, str]
    started: str = ""
    above: tuple[Piece, ...] = ()

    @property
    def name(self) -> str:
        """The file name of the script, in the copy of the notebook's folder."""
        return self.started or f"{self.path.name}.py"

    @property
    def first(self) -> str:
        """What comes before the cells."""
        return "" if self.started else FIRST

    @cached_property
    def script(self) -> str:
        """The script: a line of its own, then the cells; each cell begins on a new line."""
        return self.first + "".join(map(_python, self.cells))

    @cached_property
    def files(self) -> dict[str, str]:
        """The script, and the files that cells write for it."""
        before = {self.before.name: self.before.script} if self.before else {}
        own = {self.name: self.script} if self.cells else {}
        return {**self.written, **before, **own}

    @cached_property
    def before(self) -> Notebook | None:
        """The cells above the line that starts the script, as a script; None if they do nothing."""
        book = replace(self, cells=self.above, started="", above=())
        return book if _acts(book.script.removeprefix(FIRST)) else None

    def shown(self, line: int) -> str:
        """A line of the script as people see it: `train.ipynb, cell 3, line 5`."""
        return f"{self.path.name}, {self._in_cells.shown(line)}"

    def spot(self, line: int, column: int) -> Spot:
        """Where a line (from 1) and a column (from 0, in bytes) of the script are in the file."""
        return self._in_cells.spot(line, column)

    @cached_property
    def _in_cells(self) -> Cells:
        texts = tuple(_python(cell).removesuffix("\n") for cell in self.cells)
        return Cells(self.path, self.cells, self.data, texts, self.first.count("\n"))


def _acts(script: str) -> bool:
    """Whether a script does more than import modules and set names to constants."""
    try:
        statements = ast.parse(script).body
    except (SyntaxError, ValueError, RecursionError):
        return True
    return not all(
        isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass | ast.FunctionDef)
        or (isinstance(statement, ast.Assign | ast.Expr) and _is_constant(statement.value))
        for statement in statements
    )


def _is_constant(value: ast.expr) -> bool:
    return not any(isinstance(node, ast.Call | ast.Subscript) for node in ast.walk(value))


def notebook(path: Path) -> Notebook:
    """Read a notebook; raises `OSError`, or `Invalid` where it is none or has no code."""
    data = bytes_of(path)
    cells = tuple(pieces(path, data))
    return Notebook(path, cells, data, files_of(cells))


def _python(cell: Piece) -> str:
    return cell.python().rstrip("\n") + "\n"
