"""Waits for a change of the files that a run is made of."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

KINDS = (".py", ".ipynb", ".yaml", ".yml", ".json", ".jinja", ".toml")
"""The ends of the names of the files that are watched."""

MOST = 5000
"""Entries of folders that are examined."""

EVERY = 0.3
"""Seconds between two looks."""


def states(folders: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Time of change, in nanoseconds, and size of the watched files below the folders."""
    return dict(entry for folder in folders for entry in _files(folder))


def wait(folders: Sequence[Path], before: Mapping[str, tuple[int, int]]) -> None:
    """Return once a watched file is changed, new or gone."""
    while states(folders) == before:
        time.sleep(EVERY)


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for name in names:
            count += 1
            if name.endswith(KINDS):
                try:
                    about = Path(place, name).stat()
                except OSError:  # it has just gone
                    continue
                yield f"{place}/{name}", (about.st_mtime_ns, about.st_size)
        if count > MOST:
            return
