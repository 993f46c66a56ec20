"""The training that a notebook starts by a shell line, with the script that its cells write."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.launch.in_notebook import in_notebook
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.launch.shell.named import find
from trl_doctor.files.regular import text_of
from trl_doctor.files.source.notebooks.cells import cells_of
from trl_doctor.files.source.notebooks.started import MAKES_TRAINER, written, written_by
from trl_doctor.files.source.text import Piece
from trl_doctor.rehearsing.command.notebook import Notebook


def started(book: Notebook, variables: Mapping[str, str]) -> tuple[Notebook, Launch] | None:
    """The only training that a notebook starts as a command, if it makes no trainer itself.

    The notebook is then that of the script which its cells write; without cells if none writes it.
    """
    own = (cell for cell in book.cells if written(cell) is None)
    if any(MAKES_TRAINER.search(cell.python()) for cell in own):
        return None
    try:
        launches = in_notebook(book.path, book.data, {**os.environ, **variables})
    except document.Unreadable:
        return None
    found = list(_trainings(book, launches))
    if len(found) != 1:
        return None
    notebook, launch = found[0]
    return replace(notebook, above=_above(book, launch)), launch


def _above(book: Notebook, launch: Launch) -> tuple[Piece, ...]:
    """The cells above a line, and of its own cell what stands above it."""
    cells = cells_of(book.path, book.data)
    at, line = cells.cell(launch.line)
    own = cells.pieces[at]
    part = replace(own, text="\n".join(own.text.split("\n")[: line - 1]))
    try:
        part.parsed()
    except Invalid:
        return cells.pieces[:at]  # the line is inside a statement
    return (*cells.pieces[:at], part)


def _trainings(book: Notebook, launches: list[Launch]) -> Iterator[tuple[Notebook, Launch]]:
    """The commands that surely train, each with the notebook of its script."""
    for launch in launches:
        inside = named_exactly(launch.files, launch.script) if launch.script else None
        here = book.path.parent == Path.cwd()
        if inside and inside.cells and launch.script in book.written:
            cells = tuple(written_by(book.cells, inside.cells))
            if any(MAKES_TRAINER.search(cell.text) for cell in cells):
                yield replace(book, cells=cells, started=launch.script), launch
        elif here and (launch.command or MAKES_TRAINER.search(_text(launch, book))):
            yield replace(book, cells=(), started=""), launch


def _text(launch: Launch, book: Notebook) -> str:
    """The script beside a notebook; "" if it is not here."""
    file = find(launch.script, book.path)
    try:
        return text_of(file, "replace") if file else ""
    except OSError:
        return ""
