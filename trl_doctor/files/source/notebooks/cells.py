"""The code cells of a notebook as one text, and the way back from its lines to the cells."""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json, Put, Spot, pointer
from trl_doctor.files.edit import apply
from trl_doctor.files.formats.text import CannotEdit
from trl_doctor.files.source.outputs import slim
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.text import Piece, pieces
from trl_doctor.files.source.values import Span


class Cells(Struct, frozen=True, eq=False, dict=True):
    """`texts` are the cells as the text has them; `above` are its lines before the first cell."""

    path: Path
    pieces: tuple[Piece, ...]
    data: bytes
    texts: tuple[str, ...]
    above: int = 0

    @property
    def lines(self) -> list[str]:
        """The lines of the text below those above the first cell."""
        return [line for text in self.texts for line in text.split("\n")]

    def cell(self, line: int) -> tuple[int, int]:
        """The index of a cell in `pieces`, and the line in it, from 1, of a line of the text."""
        index = max(0, bisect_right(self.starts, line) - 1)
        return index, max(1, line - self.starts[index] + 1)

    def shown(self, line: int) -> str:
        """A line of the text as people see it: `cell 3, line 5`."""
        index, inside = self.cell(line)
        return f"cell {self.pieces[index].number}, line {inside}"

    def spot(self, line: int, column: int) -> Spot:
        """Where a line (from 1) and a column (from 0, in bytes) of the text are in the file."""
        index, inside = self.cell(line)
        span = Span(index, inside, column, inside, column)
        return Places(self.path, list(self.pieces), self.data).spot(span)

    @cached_property
    def starts(self) -> list[int]:
        """The line of the text on which each cell begins."""
        starts, line = [], 1 + self.above
        for text in self.texts:
            starts.append(line)
            line += text.count("\n") + 1
        return starts


def cells_of(path: Path, data: bytes) -> Cells:
    """The cells of a notebook as they are written; raises `Invalid`."""
    cells = tuple(pieces(path, data))
    return Cells(path, cells, data, tuple(cell.text for cell in cells))


def with_cell(data: bytes, path: Path, piece: Piece, after: str) -> bytes:
    """A notebook with another text in one cell; raises `CannotEdit`."""
    at = pointer("cells", str(piece.cell), "source")
    try:
        slimmed = slim(data.decode())
    except UnicodeDecodeError:
        raise CannotEdit("the notebook is not UTF-8") from None
    source = json.loads(slimmed.text.removeprefix("\ufeff"))["cells"][piece.cell]["source"]
    value: Json = after if isinstance(source, str) else list(after.splitlines(keepends=True))
    edited = apply(slimmed.text.encode(), [Put(path, at, value)], kind="json")
    return slimmed.restored(edited.decode()).encode()
