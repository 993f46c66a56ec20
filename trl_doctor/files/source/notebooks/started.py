"""The training that a notebook starts by a shell line, and the files that its cells write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.files.source.text import CELL_MAGIC, PYTHON_CELLS, Piece, plain_python

SHELL_CELL = re.compile(r"%%(?:bash|sh|shell|system|script\s+(?:\S*/)?(?:ba|z)?sh)(?:\s.*)?|%sh\s*")
"""The first line of a cell for a shell; the last is that of Databricks."""

SHELL_LINE = re.compile(
    r"^\s*(?:[\w, .\[\]'\"]+=\s*)?(?:!!?|%(?P<run>run)\s+|%(?:sx|system|sh)\s+)\s*(?P<command>.+)$",
    re.DOTALL,
)
MAKES_TRAINER = re.compile(r"\b\w*Trainer\s*\(")
STARTS = re.compile(
    r"\b(?:accelerate\s+launch|torchrun|deepspeed|trl\s+[a-z_]+|[\w./-]+\.py)(?=\s|$)"
)
NOT_STARTING = ("pip", "cat ", "ls ", "rm ")
WRITES = re.compile(
    r"^\s*%%(?:writefile|file)\s+(?P<append>-a\s+|--append\s+)?(?P<name>[\w./-]+)\s*$"
)
BESIDE = re.compile(r"[\w.-]+")


class Written(Struct, frozen=True):
    """A file that a cell writes; `append` says that it had a text before."""

    name: str
    append: bool
    text: str


class Command(Struct, frozen=True):
    """A text for a shell; `line` is that of its first line in the cell, `column` its column there.

    `cell` says that it is the whole cell, in which nothing of Python is replaced.
    """

    line: int
    column: int
    text: str
    cell: bool = False


def written(cell: Piece) -> Written | None:
    """What a cell writes to a file; None if it is no such cell."""
    text = cell.text.lstrip("\n")
    first, _, rest = text.partition("\n")
    match = WRITES.match(first)
    if match is None or cell.cell is None:
        return None
    name = str(PurePosixPath(match["name"]))
    return Written(name, bool(match["append"]), rest.rstrip("\n") + "\n")


def files_of(cells: Sequence[Piece]) -> dict[str, str]:
    """What `%%writefile` cells write beside the notebook, by name."""
    files: dict[str, str] = {}
    for file in filter(None, map(written, cells)):
        if BESIDE.fullmatch(file.name):
            before = files.get(file.name, "") if file.append else ""
            files[file.name] = before + file.text
    return files


def written_files(cells: Sequence[Piece]) -> dict[str, list[Piece]]:
    """The cells that write each file, by its path from the notebook."""
    files: dict[str, list[Piece]] = {}
    for cell in cells:
        if file := written(cell):
            name = PurePosixPath(file.name).name if file.name.startswith("/") else file.name
            before = files.get(name, []) if file.append else []
            files[name] = [*before, replace(cell, written=True)]
    return files


def written_by(cells: Sequence[Piece], indices: Collection[int]) -> list[Piece]:
    """The cells with these indices in the notebook, as parts of the script that they write."""
    return [replace(cell, written=True) for cell in cells if cell.cell in indices]


def commands_of(cell: Piece) -> Iterator[Command]:
    """The texts for a shell in a cell of a notebook."""
    if cell.cell is None:
        return
    head, _, rest = cell.text.lstrip("\n").partition("\n")
    above = cell.text[: len(cell.text) - len(cell.text.lstrip("\n"))].count("\n") + 1
    if SHELL_CELL.fullmatch(head.strip()):
        yield Command(above + 1, 1, rest, cell=True)
        return
    magic = re.match(CELL_MAGIC, head)
    if magic and magic[1] not in PYTHON_CELLS:
        return
    lines, plain = cell.text.split("\n"), plain_python(cell.text).split("\n")
    at = 0
    while at < len(lines):
        end = at
        while lines[end].rstrip().endswith("\\") and end + 1 < len(lines):
            end += 1
        match = SHELL_LINE.match("\n".join(lines[at : end + 1]))
        if match and lines[at] != plain[at]:
            program = "python " if match["run"] else ""
            yield Command(at + 1, match.start("command") + 1, program + match["command"])
            at = end
        at += 1


def elsewhere(cells: Sequence[Piece]) -> str:
    """Which line starts a training outside the notebook, and what to name instead; "" for none."""
    for cell in cells:
        for number, command in lines_for_shell(cell):
            if STARTS.search(command) and not command.startswith(NOT_STARTING):
                script = next((word for word in command.split() if word.endswith(".py")), "")
                saved = f" once {script} is saved as a file" if script in files_of(cells) else ""
                return (f"cell {cell.number}, line {number} starts `{command}`: "
                        f"name it{saved}: trl-doctor rehearse -- {command}")  # fmt: skip
    return ""


def lines_for_shell(cell: Piece) -> Iterator[tuple[int, str]]:
    """The shell commands of a cell in one line each, with the number of their line."""
    for command in commands_of(cell):
        text = command.text.replace("\\\n", "  ")
        for number, line in enumerate(text.split("\n"), command.line):
            if not line.lstrip().startswith("#"):
                yield number, " ".join(line.split())
