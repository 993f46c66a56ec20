"""The training that a notebook starts by a shell line, and the files that its cells write."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from trl_doctor.files.source.text import CELL_MAGIC, Piece

SHELL_CELLS = frozenset({"bash", "sh", "shell", "script"})
SHELL_LINE = re.compile(r"^\s*(?:!|%(?P<run>run)\s+|%(?:sx|system)\s+)(?P<command>.+)$")
STARTS = re.compile(
    r"\b(?:accelerate\s+launch|torchrun|deepspeed|trl\s+[a-z_]+|[\w./-]+\.py)(?=\s|$)"
)
MAKES_TRAINER = re.compile(r"\b\w*Trainer\s*\(")
NOT_STARTING = ("pip", "cat ", "ls ", "rm ")
WRITES = re.compile(r"^\s*%%(?:writefile|file)\s+(?P<append>-a\s+)?(?P<name>[\w.-]+)\s*$")


def files_of(cells: Sequence[Piece]) -> dict[str, str]:
    """What `%%writefile` cells write beside the notebook, by name."""
    files: dict[str, str] = {}
    for cell in cells:
        first, _, rest = cell.text.lstrip("\n").partition("\n")
        if match := WRITES.match(first):
            before = files.get(match["name"], "") if match["append"] else ""
            files[match["name"]] = before + rest.rstrip("\n") + "\n"
    return files


def started_alone(cells: Sequence[Piece]) -> tuple[list[Piece], tuple[str, ...] | None]:
    """The cells of the script that a notebook writes and starts, and the words after its name.

    All cells, and None, if the notebook starts no such script or makes a trainer itself.
    """
    script_cells = {name: _written_to(cells, name) for name in files_of(cells)}
    own = [cell for cell in cells if not WRITES.match(cell.text.lstrip("\n").partition("\n")[0])]
    if not script_cells or any(MAKES_TRAINER.search(cell.text) for cell in own):
        return list(cells), None
    for cell in own:
        for _, command in _commands(cell):
            words = command.split()
            at = next((at for at, word in enumerate(words) if word in script_cells), None)
            if at is None or command.startswith(NOT_STARTING):
                continue
            pieces = script_cells[words[at]]
            if any(MAKES_TRAINER.search(piece.text) for piece in pieces):
                return list(pieces), _argv(command)
    return list(cells), None


def _written_to(cells: Sequence[Piece], name: str) -> list[Piece]:
    """The cells that write a script."""
    pieces: list[Piece] = []
    for cell in cells:
        match = WRITES.match(cell.text.lstrip("\n").partition("\n")[0])
        if match and match["name"] == name and name.endswith(".py"):
            before = pieces if match["append"] else []
            pieces = [*before, replace(cell, written=True)]
    return pieces


def _argv(command: str) -> tuple[str, ...] | None:
    """The words after a script in a command line; None if one of them is not known."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    at = next(at for at, word in enumerate(words) if word.endswith(".py"))
    arguments = tuple(words[at + 1 :])
    return None if any(set(word) & set("${}|>&") for word in arguments) else arguments


def elsewhere(cells: Sequence[Piece]) -> str:
    """Which line starts a training outside the notebook, and what to name instead; "" for none."""
    for cell in cells:
        for number, command in _commands(cell):
            if STARTS.search(command) and not command.startswith(NOT_STARTING):
                script = next((word for word in command.split() if word.endswith(".py")), "")
                saved = f" once {script} is saved as a file" if script in files_of(cells) else ""
                return (f"cell {cell.number}, line {number} starts `{command}`: "
                        f"name it{saved}: trl-doctor rehearse -- {command}")  # fmt: skip
    return ""


def _commands(cell: Piece) -> Iterator[tuple[int, str]]:
    """The shell commands of a cell, with their lines."""
    if cell.cell is None:
        return
    magic = re.match(CELL_MAGIC, cell.text.lstrip("\n"))
    shell = magic is not None and magic[1] in SHELL_CELLS
    text = cell.text.replace("\\\n", "  ")
    for number, line in enumerate(text.split("\n"), 1):
        if match := SHELL_LINE.match(line):
            command = " ".join(match["command"].split())
            yield number, f"python {command}" if match["run"] else command
        elif shell and not line.lstrip().startswith(("%", "#")):
            yield number, " ".join(line.split())
