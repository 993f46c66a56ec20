"""Finds the files that a launch file names."""

from __future__ import annotations

from pathlib import Path

ABOVE = 4
"""Folders above a launch file in which what it starts is looked for: jobs lie in `slurm/`."""


def find(name: str, launcher: Path) -> Path | None:
    """A file that a launch file names: from the working folder, or one at or above the file's."""
    try:
        path = Path(name).expanduser()
        for root in (Path.cwd(), launcher.parent, *list(launcher.parent.parents)[:ABOVE]):
            if name and (root / path).is_file():
                return root / path
    except (OSError, RuntimeError, ValueError):
        return None
    return None
