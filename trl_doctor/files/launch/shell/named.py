"""Finds the files that a launch file names, also those that are mounted in a container."""

from __future__ import annotations

import posixpath
from pathlib import Path, PurePosixPath

Mounted = tuple[tuple[str, Path], ...]
"""Paths inside a container, each with what is there on this machine."""

ABOVE = 4
"""Folders above a launch file in which what it starts is looked for: jobs are in `slurm/`."""


def find(name: str, launcher: Path) -> Path | None:
    """A file that a launch file names: from the working folder, or one at or above the file's.

    An absolute path that is not here is one of a container (`/app/train.py`), or begins with a
    variable: its end is looked for.
    """
    try:
        path = Path(name).expanduser()
        ends = [path]
        if path.is_absolute():
            ends += [Path(*path.parts[at:]) for at in range(1, len(path.parts))]
        for end in ends:
            for root in (Path.cwd(), launcher.parent, *list(launcher.parent.parents)[:ABOVE]):
                if name and (root / end).is_file():
                    return root / end
    except (OSError, RuntimeError, ValueError):
        return None
    return None


def on_this_machine(name: str, mounts: Mounted) -> Path | None:
    """Where a path inside a container is on this machine, existing or not; None if not mounted."""
    path = PurePosixPath(posixpath.normpath(name)) if name.startswith("/") else None
    for inside, outside in sorted(mounts, key=lambda pair: -len(pair[0])):
        if path is not None and path.is_relative_to(inside):
            return outside / path.relative_to(inside)
    return None
