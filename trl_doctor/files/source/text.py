"""The Python text of a script or notebook, piece by piece, with the place of each in its file."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from trl_doctor.files.formats.text import BYTE_ORDER_MARK, Invalid, Position, decoded
from trl_doctor.files.source.values import Span

LARGEST = 2 * 2**20
"""Bytes of Python text that are read; no script that trains a model has a tenth of it."""

MAGIC = r"^(\s*)([%!?]|[\w.]+\?{1,2}\s*$)"
ASSIGNED = r"^(\s*[\w, .\[\]'\"]+=\s*)([!%])(?!=)"
AUTOMAGIC = r"^(?:pip3?|conda|apt|apt-get|cd|ls|git|wget|curl|mkdir|rm|cp|mv)\s+[-\w./~]"
CELL_MAGIC = r"^\s*%%(\w+)"
PYTHON_CELLS = frozenset({"capture", "time", "timeit", "prun"})
UNKNOWN_NAME = "__magic__"


class Piece(Struct, frozen=True, dict=True):
    """A script, or a cell of a notebook. `cell` is the cell's index in the notebook's list.

    `written` says that the cell writes its text to a script (`%%writefile`), which runs.
    """

    path: Path
    text: str
    cell: int | None = None
    number: int = 0
    written: bool = False

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them, with their line ends."""
        return self.text.splitlines(keepends=True) if "\f" not in self.text else _lines(self.text)

    def index(self, line: int, column: int) -> int:
        """The character at a line and a column in bytes."""
        before = sum(map(len, self.lines[: line - 1]))
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return before + len(text.encode()[:column].decode(errors="replace"))

    def slice(self, span: Span) -> tuple[int, int]:
        """First character and the one behind the last of a span."""
        return self.index(span.line, span.column), self.index(span.end_line, span.end_column)

    def shown(self, span: Span, most: int = 60) -> str:
        """The text of a span in one line."""
        start, end = self.slice(span)
        text = " ".join(self.text[start:end].split())
        return text if len(text) <= most else text[: most - 1] + "…"

    def python(self) -> str:
        """Its text without what is for a notebook; each line keeps its number."""
        if self.written:
            return re.sub(CELL_MAGIC + ".*", lambda match: "\n" * match[0].count("\n"), self.text)
        return plain_python(self.text) if self.cell is not None else self.text

    def parsed(self) -> ast.Module:
        """Its syntax tree; raises `Invalid` with the place in this piece."""
        where = f"cell {self.number} " if self.cell is not None else ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.python())
        except SyntaxError as error:
            at = Position(error.lineno or 1, max(1, error.offset or 1))
            line = (error.text or "").lstrip()
            magic = self.cell is None and line.startswith(("!", "%"))
            reason = (
                f"line {error.lineno} is for a notebook only: comment it out"
                if magic
                else error.msg
            )
            problem = f"{where}is not valid Python: {reason}"
            raise Invalid(problem, at) from None
        except (RecursionError, MemoryError):
            raise Invalid(f"{where}nests too deep to be read", flaw="too-deep") from None
        except ValueError as error:
            raise Invalid(f"{where}is not Python text: {error}", flaw="not-text") from None


def _lines(text: str) -> list[str]:
    """A form feed ends no line for Python, as it does for `splitlines`."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


class _Cell(msgspec.Struct):
    cell_type: str = "code"
    source: str | list[str] = ""


class _Worksheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Kernel(msgspec.Struct):
    language: str = "python"


class _Metadata(msgspec.Struct):
    kernelspec: _Kernel | None = None


class _Notebook(msgspec.Struct):
    cells: list[_Cell] | None = None
    worksheets: list[_Worksheet] | None = None
    metadata: _Metadata | None = None


def pieces(path: Path, data: bytes) -> list[Piece]:
    """The script, or the code cells of the notebook; raises `Invalid`."""
    if path.suffix.lower() == ".ipynb":
        cells = list(_cells(path, data))
    else:
        cells = [Piece(path, _script(data))]
    if sum(len(cell.text) for cell in cells) > LARGEST:
        problem = f"has more than {LARGEST // 2**20} MiB of Python text, which is not read"
        raise Invalid(f"{problem}: `trl-doctor rehearse {path.name}` runs it", flaw="too-large")
    return cells


def _script(data: bytes) -> str:
    """The text; a script that says that it is Latin-1 is read as that."""
    coding = re.match(rb"(?:[^\n]*\n)?\s*#[^\n]*coding[:=]\s*(latin-1|iso-8859-1)", data, re.I)
    text = data.decode("latin-1") if coding else decoded(data)
    return text.removeprefix(BYTE_ORDER_MARK)


def _cells(path: Path, data: bytes) -> Iterator[Piece]:
    try:
        notebook = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"is not a valid notebook: {error}") from None
    if notebook.cells is None:
        old = "an old form: save it again" if notebook.worksheets else "it has no cells"
        raise Invalid(f"is not a valid notebook: {old}")
    kernel = notebook.metadata.kernelspec if notebook.metadata else None
    if kernel and kernel.language.lower() not in ("python", "python3"):
        raise Invalid(f"is a notebook of {kernel.language}, not of Python")
    number = 0
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        number += 1
        text = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        yield Piece(path, text, index, number)


def plain_python(text: str) -> str:
    """The text of a cell without magics and shell lines; each line keeps its number."""
    if _parses(text):
        return text
    cell = re.match(CELL_MAGIC, text.lstrip("\n"))
    if cell and cell[1] not in PYTHON_CELLS:
        return "\n" * text.count("\n")
    lines = list[str]()
    continued = False
    for line in text.split("\n"):
        magic, assigned = re.match(MAGIC, line), re.match(ASSIGNED, line)
        if _in_text(lines) and not continued:
            lines.append(line)
        elif continued or magic or re.match(AUTOMAGIC, line):
            indent = line[: len(line) - len(line.lstrip())]
            lines.append("" if continued else f"{indent}pass")
            continued = line.rstrip().endswith("\\")
        elif assigned:
            lines.append(f"{assigned[1]}{UNKNOWN_NAME}")
            continued = line.rstrip().endswith("\\")
        else:
            lines.append(line)
    return "\n".join(lines)


def _in_text(lines: list[str]) -> bool:
    """Whether a text in three quotation marks is open behind these lines."""
    so_far = "\n".join(lines)
    return so_far.count('"""') % 2 == 1 or so_far.count("'''") % 2 == 1


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
