"""The folder that a line of a launch file starts in, and its files as they are found from there."""

from __future__ import annotations

import os
from pathlib import Path

from trl_doctor.files.launch import placing
from trl_doctor.files.launch.launch import Launch


def folder_of(launch: Launch, launcher: Path | None) -> Path:
    """The user's folder that a line starts in; the working folder if the file names no other.

    A folder of another machine is none. An absolute one counts if it has the line's script.
    """
    here = Path.cwd()
    if not launch.folder or launcher is None:
        return here
    named = here / launch.folder
    if named.is_dir() and not Path(launch.folder).is_absolute():
        return Path(os.path.normpath(named))
    inside = placing.folder(launch, placing.mounted(launch, launcher), launcher)
    if inside is None or (launch.script and not (inside / launch.script).is_file()):
        return here
    return Path(os.path.normpath(inside.absolute()))


def script_from_here(script: str, folder: Path) -> str:
    """A script that is started in a folder, as it is named from the working folder."""
    here = Path.cwd()
    if not script or folder == here or not (folder / script).is_file():
        return script
    return os.path.relpath(folder / script, here)


def from_copy(word: str, folder: Path) -> str:
    """A file's name as it is found from a copy of the folder in which the command starts."""
    path = Path(word)
    if word.startswith("-") or not (path.is_absolute() or ".." in path.parts):
        return word
    here, file = Path.cwd().resolve(), folder / path
    if not file.exists():
        return word
    if file.resolve().is_relative_to(here) and folder.resolve().is_relative_to(here):
        return os.path.relpath(file.resolve(), folder.resolve())
    return str(file.absolute())
