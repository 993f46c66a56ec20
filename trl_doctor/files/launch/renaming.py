"""Gives an option of a launch line another name, in the text of its file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from trl_doctor.core.finding import Put, Remove, route
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.edit import CannotEdit
from trl_doctor.files.launch import reading
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.launch.shell.written import alone, written
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.notebooks.cells import cells_of, with_cell

Edits: TypeAlias = "Sequence[Put | Remove]"


def refusal(path: Path, launch: Launch, edits: Edits) -> str:
    """Why `edited` cannot make these edits; "" if it can."""
    try:
        edited(path, document.read_bytes(path), launch, edits)
    except (CannotEdit, document.Unreadable) as reason:
        return str(reason)
    return ""


def of_line(file: Document | Unavailable | None, launcher: Path, edits: Edits) -> bool:
    """Whether edits of a launch file are of its line: a notebook may contain the script itself."""
    script = isinstance(file, Script) and file.path == launcher and launcher.suffix == ".ipynb"
    return not script or (isinstance(file, Script) and file.on_line(edits))


def edited(path: Path, data: bytes, launch: Launch, edits: Edits) -> bytes:
    """The file with an option of the line under another name; raises `CannotEdit` for the rest.

    `path` is only read for its name. Of two edits, the first puts the new name, the second takes
    the old one out.
    """
    names = [route(edit.pointer) for edit in edits]
    renames = len(edits) == 2 and isinstance(edits[0], Put) and isinstance(edits[1], Remove)
    if not renames or any(len(name) != 1 for name in names):
        raise CannotEdit("it is set on the command line")
    (new,), (old,) = names
    current = reading.again(path, data, launch)
    if current is None:
        raise CannotEdit(f"{launch.shown} no longer starts this training")
    cells = cells_of(path, data) if path.suffix.lower() == ".ipynb" else None
    lines = cells.lines if cells else data.decode(errors="surrogateescape").split("\n")
    word = _flag(current, old)
    flag, option = written(word, lines), word.text.partition("=")[0]
    line = lines[flag.line - 1] if 0 < flag.line <= len(lines) else ""
    places = [match.start() for match in re.finditer(alone(option), line)]
    everywhere = re.findall(alone(option), "\n".join(lines))
    if flag.column - 1 in places and (flag == word or len(everywhere) == 1):
        start = flag.column - 1
    elif flag == word and len(places) == 1:
        (start,) = places
    else:
        raise CannotEdit(f"{option} is not written in line {word.line} itself")
    after = f"{line[:start]}--{new}{line[start + len(option) :]}"
    if cells:
        number, inside = cells.cell(flag.line)
        texts = cells.pieces[number].text.split("\n")
        texts[inside - 1] = after
        return with_cell(data, path, cells.pieces[number], "\n".join(texts))
    lines[flag.line - 1] = after
    return "\n".join(lines).encode(errors="surrogateescape")


def _flag(launch: Launch, key: str) -> Word:
    """The word that names an option; raises `CannotEdit` if none or several do."""
    words = [word for word in launch.words if word.text.startswith("--")]
    flags = [word for word in words if _key(word) == key]
    if not flags:
        raise CannotEdit(f"the line itself does not give {key}")
    if len(flags) > 1:
        raise CannotEdit(f"the line gives {key} {len(flags)} times")
    return flags[0]


def _key(word: Word) -> str:
    return word.text[2:].partition("=")[0].replace("-", "_")
