"""Where a span of a script or notebook is in its file, for people and for editors."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Cell, Place, Spot
from trl_doctor.files.formats import json_places
from trl_doctor.files.source.outputs import Slim, slim
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import Span


class Places(Struct, frozen=True, eq=False, dict=True):
    """The pieces of a script, and the bytes of the file that they come from."""

    path: Path
    pieces: list[Piece]
    data: bytes

    def place(self, pointer: str, span: Span | None) -> Place:
        """A place with its spot; the file alone if there is no span."""
        if span is None:
            return Place(self.path, pointer)
        return Place(self.pieces[span.source].path, pointer, self.spot(span))

    def spot(self, span: Span) -> Spot:
        """Line and column in the file: of a notebook those of the JSON text."""
        piece = self.pieces[span.source]
        text = piece.lines[span.line - 1].rstrip("\r\n") if span.line <= len(piece.lines) else ""
        before = text.encode()[: span.column].decode(errors="replace")
        if piece.cell is None:
            return Spot(span.line, len(before) + 1, text)
        cell = Cell(piece.number, span.line, len(before) + 1)
        line, column = self._raw(piece.cell, span.line, before)
        return Spot(line, column, text, cell)

    def _raw(self, cell: int, number: int, before: str) -> tuple[int, int]:
        """Line and column in the JSON text of a place in a cell."""
        source, text = self._sources.get(cell), self._slim.text
        if source is None:
            return 1, 1
        lines = list(json_places.members(text, source)) if text[source] == "[" else []
        inside = len(json.dumps(before, ensure_ascii=False)) - 1
        start = lines[number - 1].value if 0 < number <= len(lines) else source
        start = self._slim.original(start)
        return self._text.count("\n", 0, start) + 1, start - self._text.rfind("\n", 0, start) + (
            inside if lines else 0
        )

    @cached_property
    def _text(self) -> str:
        return self.data.decode(errors="replace").removeprefix("\ufeff")

    @cached_property
    def _slim(self) -> Slim:
        return slim(self._text)

    @cached_property
    def _sources(self) -> dict[int, int]:
        """Where the source of each cell starts in the text without outputs."""
        places, text = {}, self._slim.text
        cells = json_places.locate(text, ("cells",))
        for index, cell in enumerate(json_places.members(text, cells.value)):
            source = json_places.child(text, cell, "source")
            if source is not None:
                places[index] = source.value
        return places
