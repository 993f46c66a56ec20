"""Whether what a launch file starts was found where its job may not look."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.files.launch.containers import FOLDERS
from trl_doctor.files.launch.directives import directives, values
from trl_doctor.files.launch.forms import OF_SHELL
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.placing import SOURCES, folder, is_module, modules
from trl_doctor.files.launch.shell.lines import lines_of
from trl_doctor.files.launch.shell.named import ABOVE
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.target import Target
from trl_doctor.files.unknown_word import PLACEHOLDER

ROOT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock",
        "environment.yml", "environment.yaml", "Makefile", "Dockerfile", "LICENSE", "README.md",
        "README.rst", "README", ".gitignore")  # fmt: skip
"""What the root of a project has: its jobs are usually started there."""

GOES = re.compile(r"^[^#]*\b(?:cd|pushd|chdir|workdir|bind|mount|clone|source|docker|podman)\b")
STAYS = re.compile(
    r"^\s*cd\s+[\"']?\$\{?(?:SLURM_SUBMIT_DIR|PBS_O_WORKDIR|LS_SUBCWD|PWD)\}?[\"']?"
    r"\s*(?:[;&|#].*)?$"
)
"""Lines that may start the job in another folder, and the line that does not."""

PUTS = re.compile(r"^[^#]*\b(?:cp|mv|ln|rsync|clone|tar|unzip|wget|curl|scp|checkout|copy|link)\b")
"""Lines that may put files into a folder."""

PATH = re.compile(r"(?<![\w./$}~-])[\w.-]+(?:/[\w.-]+)+")
"""A relative path with a folder in it."""


class Elsewhere(Struct, frozen=True):
    """A file that is in neither folder where the job looks.

    `name` is as the line names it, `read` the file instead. `expected` is where it should be. The
    launch file `goes` to that folder itself.
    """

    name: str
    read: str
    folder: str
    expected: str
    root: bool
    shell: bool
    goes: bool = False


def elsewhere(target: Target) -> Elsewhere | None:
    """The file that the line starts, if it was found by a guess; None for all others."""
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None or target.path == launcher:
        return None
    name = _named(launch, target.path)
    if not name or Path(name).is_absolute() or PLACEHOLDER in name or name.startswith("~"):
        return None
    roots = list(_roots(launch, target, launcher))
    path = os.path.normpath(target.path.absolute())
    if lacks := _lacked_by(launch, target, launcher, name):
        return Elsewhere(name, _shown(Path(path)), "", lacks, False, True, True)
    if path in {os.path.normpath(root.absolute() / name) for root in roots}:
        return None
    if _goes_elsewhere(launch, launcher):
        return None
    above = Path(path[: -len(os.path.normpath(name))])
    return Elsewhere(
        name,
        _shown(Path(path)),
        _shown(above),
        f"{launcher.absolute().parent.name}/",
        any((above / mark).exists() for mark in ROOT) or _names_paths_of(above, launcher, name),
        target.taken_for.startswith(OF_SHELL),
    )


def _named(launch: Launch, path: Path) -> str:
    """The file's name as the line writes it."""
    if launch.script:
        return launch.script
    words = (word.text.rpartition("=")[2] for word in launch.words)
    return next((word for word in words if Path(word).name == path.name), "")


def _roots(launch: Launch, target: Target, launcher: Path) -> Iterator[Path]:
    """Where the job may look, its launch file's folder first."""
    yield launcher.parent
    yield Path.cwd()
    if own := folder(launch, target.mounts, launcher):
        yield own
    yield from modules(launch, folder(launch, target.mounts, launcher), launcher)
    yield from (outside for _, outside in target.mounts)
    if is_module(launch):
        yield from (root / SOURCES for root in (Path.cwd(), *launcher.absolute().parents))


def _lacked_by(launch: Launch, target: Target, launcher: Path, name: str) -> str:
    """The folder to which the launch file goes, if it is here and does not have the file."""
    there = PurePosixPath(launch.folder)
    if there.is_absolute() or ".." in there.parts or not there.parts or target.mounts:
        return ""
    if launch.variables.get("PYTHONPATH"):
        return ""  # it may be a module of another folder
    above = (Path.cwd(), launcher.parent, *list(launcher.parent.parents)[:ABOVE])
    folders = [root / there for root in above if (root / there).is_dir()]
    if not folders or any((one / name).exists() for one in folders):
        return ""
    return "" if any(PUTS.search(line) for line in _above(launch, launcher) or ()) else str(there)


def _goes_elsewhere(launch: Launch, launcher: Path) -> bool:
    """Whether the launch file may start the line in a folder that is not known here."""
    lines = _above(launch, launcher)
    if lines is None or values(directives("\n".join(lines)), *FOLDERS["srun"]):
        return True
    return any(GOES.search(line) and not STAYS.match(line) for line in lines)


def _above(launch: Launch, launcher: Path) -> Sequence[str] | None:
    """The lines of the launch file to the one that starts the training; None if it is not read."""
    try:
        return lines_of(launcher, bytes_of(launcher)).text[: launch.line]
    except OSError:
        return None


def _names_paths_of(root: Path, launcher: Path, name: str) -> bool:
    """Whether the launch file names itself, or another file, by its path from a folder above."""
    try:
        text = bytes_of(launcher).decode(errors="replace")
    except OSError:
        return False
    own = os.path.relpath(launcher.absolute(), root.absolute())
    others = {word for word in PATH.findall(text) if word not in (name, own)}
    return own in text or any(
        (root / word).exists() and not (launcher.parent / word).exists() for word in others
    )


def _shown(path: Path) -> str:
    return os.path.relpath(path)
