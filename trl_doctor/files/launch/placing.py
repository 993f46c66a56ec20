"""Where the files of a launch line are on this machine: in its folder, or mounted."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.named import ABOVE, Mounted, find, on_this_machine

SOURCES = "src"
"""The folder in which many projects have their packages: installed, these are found everywhere."""


def mounted(launch: Launch, launcher: Path) -> Mounted:
    """What the line mounts of this machine's folders and files."""
    found = ((inside, _existing(outside, launcher)) for inside, outside in launch.mounts)
    return tuple((inside.rstrip("/") or "/", path) for inside, path in found if path)


def _existing(name: str, launcher: Path) -> Path | None:
    try:
        path = Path(name).expanduser()
        for root in (launcher.parent, Path.cwd(), *list(launcher.parent.parents)[:ABOVE]):
            if name and (root / path).exists():
                return Path(posixpath.normpath(root / path))
    except (OSError, RuntimeError, ValueError):
        return None
    return None


def folder(launch: Launch, mounts: Mounted, launcher: Path) -> Path | None:
    """The folder that the line starts in, where the launch file names one that is here."""
    if not launch.folder:
        return None
    inside = on_this_machine(launch.folder, mounts)
    path = inside or _existing(launch.folder, launcher)
    return path if path is not None and path.is_dir() else None


def found(name: str, launch: Launch | None, launcher: Path) -> Path | None:
    """A file that a line names; None if it is not here."""
    for path in _candidates(name, launch, launcher) if launch else ():
        try:
            if path.is_file():
                return path
        except OSError:
            continue
    below = posixpath.join(launch.folder, name) if launch and launch.folder and name else ""
    inside = f"{SOURCES}/{name}" if launch and is_module(launch) else ""
    return next(filter(None, (find(each, launcher) for each in (name, below, inside))), None)


def is_module(launch: Launch) -> bool:
    """Whether the line names a module, `-m package.train`, which can be an installed one."""
    return any(word.text in ("-m", "--module") for word in launch.whole)


def _candidates(name: str, launch: Launch, launcher: Path) -> Iterator[Path]:
    mounts = mounted(launch, launcher)
    if path := on_this_machine(name, mounts):
        yield path
    own = folder(launch, mounts, launcher)
    if own is not None and name:
        yield own / name
    if name and not Path(name).is_absolute():
        yield from (entry / name for entry in modules(launch, own, launcher))


def modules(launch: Launch, own: Path | None, launcher: Path) -> Iterator[Path]:
    """The folders of this machine in which the line looks for modules: its `PYTHONPATH`."""
    for entry in filter(None, launch.variables.get("PYTHONPATH", "").split(":")):
        path = own / entry if own is not None and (own / entry).is_dir() else None
        if path := path or _existing(entry, launcher):
            yield path
