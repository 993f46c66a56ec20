"""Finds the files that a launch file names."""

from __future__ import annotations

from pathlib import Path

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
