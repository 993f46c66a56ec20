"""Whether what a launch file starts was found where its job may not look."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.facts.launch.launch_line import lines_to, own_text
from trl_doctor.facts.launch.named_files import STAYS
from trl_doctor.files.launch.containers import FOLDERS
from trl_doctor.files.launch.directives import directives, values
from trl_doctor.files.launch.forms import OF_SHELL
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.placing import SOURCES, folder, is_module, modules
from trl_doctor.files.launch.shell.named import ABOVE
from trl_doctor.files.target import Target
from trl_doctor.files.unknown_word import PLACEHOLDER

ROOT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock",
        "environment.yml", "environment.yaml", "Makefile", "Dockerfile", "LICENSE", "README.md",
        "README.rst", "README", ".gitignore")  # fmt: skip
"""What the root of a project has: its jobs are usually started there."""

GOES = re.compile(r"^[^#]*\b(?:cd|pushd|chdir|workdir|bind|mount|clone|source|docker|podman)\b")
"""A line that may start the job in another folder."""

PATH = re.compile(r"(?<![\w./$}~-])[\w.-]+(?:/[\w.-]+)+")
"""A relative path with a folder in it."""


class Elsewhere(Struct, frozen=True):
    """A file that is in neither folder where the job looks.

    `name` is as the line names it, `read` the file of the folder `above` instead. `expected` is
    where it should be. `root` says that jobs are usually started in the folder above, `shell` that
    a shell reads the launch file.
    """

    name: str
    read: str
    above: str
    expected: str
    root: bool
    shell: bool


class LackingFolder(Struct, frozen=True):
    """The folder to which the launch file goes, and that has no `name`: the file `read` has it."""

    folder: str
    name: str
    read: str


def elsewhere(target: Target) -> Elsewhere | None:
    """The file that the line starts, if it was found by a guess; None for all others."""
    launch, launcher = target.launch, target.launched_by
    name = _named(target)
    if launch is None or launcher is None or not name or lacking_folder(target):
        return None
    path = os.path.normpath(target.path.absolute())
    roots = list(_roots(launch, target, launcher))
    if path in {os.path.normpath(root.absolute() / name) for root in roots}:
        return None
    if _goes_elsewhere(target, launch, launcher):
        return None
    above = Path(path[: -len(os.path.normpath(name))])
    is_root = any((above / mark).exists() for mark in ROOT)
    return Elsewhere(
        name=name,
        read=os.path.relpath(path),
        above=os.path.relpath(above),
        expected=f"{launcher.absolute().parent.name}/",
        root=is_root or _names_paths_of(above, target, launcher, name),
        shell=target.taken_for.startswith(OF_SHELL),
    )


def lacking_folder(target: Target) -> LackingFolder | None:
    """The folder to which the launch file goes, if it is here and does not have the file."""
    launch, launcher = target.launch, target.launched_by
    name = _named(target)
    if launch is None or launcher is None or not name or target.mounts:
        return None
    there = PurePosixPath(launch.folder)
    if there.is_absolute() or ".." in there.parts or not there.parts:
        return None
    if launch.variables.get("PYTHONPATH") or is_module(launch):
        return None  # it may be a module of another folder
    above = (Path.cwd(), launcher.parent, *list(launcher.parent.parents)[:ABOVE])
    folders = [root / there for root in above if (root / there).is_dir()]
    if not folders or any((folder / name).exists() for folder in folders):
        return None
    return LackingFolder(str(there), name, os.path.relpath(target.path))


def _named(target: Target) -> str:
    """The file's name as the line writes it; "" for a full path, or one that is not known."""
    launch = target.launch
    if launch is None or target.path == target.launched_by:
        return ""
    words = (word.text.rpartition("=")[2] for word in launch.words)
    same = next((word for word in words if Path(word).name == target.path.name), "")
    name = launch.script or same
    known = name and PLACEHOLDER not in name and not name.startswith("~")
    return name if known and not Path(name).is_absolute() else ""


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


def _goes_elsewhere(target: Target, launch: Launch, launcher: Path) -> bool:
    """Whether the launch file may start the line in a folder that is not known here."""
    lines = lines_to(launch, launcher)
    if not lines or values(directives(own_text(target) or ""), *FOLDERS["srun"]):
        return True
    return any(GOES.search(line) and not STAYS.match(line) for line in lines)


def _names_paths_of(root: Path, target: Target, launcher: Path, name: str) -> bool:
    """Whether the launch file names itself, or another file, by its path from a folder above."""
    text = own_text(target) or ""
    own = os.path.relpath(launcher.absolute(), root.absolute())
    others = {word for word in PATH.findall(text) if word not in (name, own)}
    return own in text or any(
        (root / word).exists() and not (launcher.parent / word).exists() for word in others
    )
