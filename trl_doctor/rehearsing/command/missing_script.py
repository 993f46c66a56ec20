"""A command whose script is not here: its launcher would start processes that fail one by one."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from pathlib import Path

from trl_doctor.files.launch import placing
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.named import find
from trl_doctor.rehearsing.command.local_command import LocalCommand, NotStarted
from trl_doctor.rehearsing.command.start_folder import folder_of

STARTER = re.compile(r"python(3(\.\d+)?)?|accelerate|accelerate-launch|torchrun|deepspeed")
"""Programs that start the script which they name."""


def needs_scripts(here: LocalCommand | None, line: Launch | None, first: Path) -> None:
    """Raise `NotStarted` for a script that is not here.

    `line` is what the words start if they are no launch file; `first` is the first word.
    """
    for turn in (here, *here.after) if here else ():
        _needs(turn.launch, turn.files, first.absolute() if first.is_file() else None)
    if here is None and line is not None and STARTER.fullmatch(first.name):
        _needs(line, (), None)


def _needs(launch: Launch, files: Container[str], launcher: Path | None) -> None:
    """`files` are those that the launch file `launcher` contains."""
    script = launch.script
    folder = folder_of(launch, launcher)
    there = folder / Path(script).expanduser()
    if not script.endswith(".py") or script in files or there.is_file():
        return
    if launcher and launch.variables.get("PYTHONPATH") and placing.found(script, launch, launcher):
        return
    if folder != Path.cwd() and launcher:
        place = f"{os.path.relpath(folder)}, where the line starts"
        raise NotStarted(f"{launch.named_in(launcher)} starts {script}, which is not in {place}")
    if launcher is None:
        raise NotStarted(f"{script}: there is no such script")
    found = find(script, launcher)
    root = str(found.absolute().resolve()).removesuffix(str(Path(script))) if found else ""
    hint = f"; it is in {root}: rehearse the job in the folder where it starts" if root else ""
    raise NotStarted(f"{launch.named_in(launcher)} starts {script}, which is not here{hint}")
