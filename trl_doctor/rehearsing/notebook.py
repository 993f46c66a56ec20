"""A notebook as the script that a rehearsal runs, and the way back from its lines to the cells."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Spot
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.started import files_of
from trl_doctor.files.source.text import UNKNOWN_NAME, Piece, pieces, plain_python
from trl_doctor.files.source.values import Span

FIRST = f"display, {UNKNOWN_NAME} = print, []  # what Jupyter gives to cells\n"


class Notebook(Struct, frozen=True, eq=False, dict=True):
    """The code cells of a notebook, one after the other, without magics."""

    path: Path
    cells: tuple[Piece, ...]
    data: bytes

    @property
    def name(self) -> str:
        """The file name of the script, in the copy of the notebook's folder."""
        return f"{self.path.name}.py"

    @cached_property
    def script(self) -> str:
        """The script: a line of its own, then the cells; each cell begins on a new line."""
        return FIRST + "".join(map(_python, self.cells))

    @cached_property
    def files(self) -> dict[str, str]:
        """The script, and the files that cells write for it."""
        return {**files_of(self.cells), self.name: self.script}

    def shown(self, line: int) -> str:
        """A line of the script as people see it: `train.ipynb, cell 3, line 5`."""
        index, inside = self._cell(line)
        return f"{self.path.name}, cell {self.cells[index].number}, line {inside}"

    def spot(self, line: int, column: int) -> Spot:
        """Where a line (from 1) and a column (from 0, in bytes) of the script are in the file."""
        index, inside = self._cell(line)
        span = Span(index, inside, column, inside, column)
        return Places(self.path, list(self.cells), self.data).spot(span)

    def _cell(self, line: int) -> tuple[int, int]:
        """The index of a cell in `cells`, and the line in it, from 1."""
        index = max(0, bisect_right(self._starts, line) - 1)
        return index, max(1, line - self._starts[index] + 1)

    @cached_property
    def _starts(self) -> list[int]:
        """The line of the script on which each cell begins."""
        starts, line = [], 1 + FIRST.count("\n")
        for cell in self.cells:
            starts.append(line)
            line += _python(cell).count("\n")
        return starts


def notebook(path: Path) -> Notebook:
    """Read a notebook; raises `OSError`, or `Invalid` where it is none or has no code."""
    data = bytes_of(path)
    return Notebook(path, tuple(pieces(path, data)), data)


def _python(cell: Piece) -> str:
    return plain_python(cell.text).rstrip("\n") + "\n"
