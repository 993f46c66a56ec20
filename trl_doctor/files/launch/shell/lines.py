"""The lines of a launch file as its commands are read, and where each of them is in the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Spot
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.launch.shell.written import written
from trl_doctor.files.source.notebooks.cells import Cells, cells_of


class Lines(Struct, frozen=True, eq=False):
    """The lines of the file `path`. Those of a notebook are the lines of its code `cells`."""

    path: Path
    text: Sequence[str] = ()
    cells: Cells | None = None

    def spot(self, word: Word) -> Spot:
        """The place of a word."""
        word = written(word, self.text)
        return self.at(word.line, word.column)

    def at(self, line: int, column: int) -> Spot:
        """The place of a line and a column, both from 1."""
        text = self.text[line - 1] if 0 < line <= len(self.text) else ""
        if self.cells is not None:
            return self.cells.spot(max(1, line), len(text[: max(0, column - 1)].encode()))
        return Spot(max(1, line), max(1, column), text.rstrip("\r"))

    def named(self, line: int) -> str:
        """A line in words: `job.sh:3`, `train.ipynb, cell 3, line 5`."""
        if self.cells is not None:
            return f"{self.path.name}, {self.cells.shown(line)}"
        return f"{self.path.name}:{line}"


def lines_of(path: Path, data: bytes) -> Lines:
    """The lines of a launch file with these bytes."""
    if path.suffix.lower() == ".ipynb":
        try:
            cells = cells_of(path, data)
        except Invalid:
            return Lines(path)
        return Lines(path, cells.lines, cells)
    return Lines(path, data.decode(errors="replace").split("\n"))
