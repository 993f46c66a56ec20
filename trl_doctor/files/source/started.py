"""The training that a notebook starts by a shell line, and the files that its cells write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trl_doctor.files.source.text import CELL_MAGIC, Piece

SHELL_CELLS = frozenset({"bash", "sh", "shell", "script"})
SHELL_LINE = re.compile(r"^\s*(?:!|%(?P<run>run)\s+|%(?:sx|system)\s+)(?P<command>.+)$")
STARTS = re.compile(
    r"\b(?:accelerate\s+launch|torchrun|deepspeed|trl\s+[a-z_]+|[\w./-]+\.py)(?=\s|$)"
)
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


def elsewhere(cells: Sequence[Piece]) -> str:
    """Which line starts a training outside the notebook, and what to name instead; "" for none."""
    for cell in cells:
        for number, command in _commands(cell):
            if STARTS.search(command) and not command.startswith(("pip", "cat ", "ls ", "rm ")):
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
