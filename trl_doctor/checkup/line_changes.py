"""The lines of text that a fix would change, for formats that show a fix as a replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from trl_doctor.checkup.places import Places
from trl_doctor.checkup.report import Change
from trl_doctor.core.finding import Copy, Edit, Put, Remove
from trl_doctor.core.plain import shown
from trl_doctor.files.document import Unreadable, read_bytes
from trl_doctor.files.edit import CannotEdit, apply
from trl_doctor.files.launch import renaming
from trl_doctor.files.source.document import Script

LARGEST = 2**20
"""Bytes of a file; of a larger one no lines are shown."""


def changes(edits: Sequence[Edit], places: Places) -> tuple[Change, ...]:
    """One change a file; none where a file is copied whole, is large, or cannot be edited."""
    files: dict[Path, list[Put | Remove]] = {}
    for edit in edits:
        if isinstance(edit, Copy):
            return ()
        files.setdefault(edit.file, []).append(edit)
    return tuple(
        change
        for file, file_edits in files.items()
        for change in _changed(file, file_edits, places)
    )


def _changed(file: Path, edits: list[Put | Remove], places: Places) -> Iterator[Change]:
    own = places.run.file
    script = own if isinstance(own, Script) and own.path == file else None
    launch, launcher = places.run.target.launch, places.run.target.launched_by
    kind: Literal["json", "yaml"] = "json" if file.suffix.lower() == ".json" else "yaml"
    try:
        before = read_bytes(file)
        if len(before) > LARGEST:
            return
        if launch is not None and file == launcher and renaming.of_line(own, file, edits):
            after = renaming.edited(file, before, launch, edits)
        else:
            after = script.edited(edits) if script else apply(before, edits, kind=kind)
        old, new = before.decode(), after.decode()
    except (Unreadable, CannotEdit, UnicodeDecodeError):
        return
    if old != new:
        yield _between(shown(file), old, new, places.foreign(file))


def _between(file: str, old: str, new: str, foreign: bool) -> Change:
    """The smallest block of whole lines that differs."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    text = "".join(after[head : len(after) - tail])
    return Change(file, head + 1, len(before) - tail + 1, text, foreign)
