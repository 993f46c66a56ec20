"""Paths inside a container that are folders of this machine."""

from __future__ import annotations

import posixpath
from pathlib import Path, PurePosixPath

Mounted = tuple[tuple[str, Path], ...]
"""Paths inside a container, each with what is there on this machine."""


def on_this_machine(name: str, mounts: Mounted) -> Path | None:
    """Where a path inside a container is on this machine, existing or not; None if not mounted."""
    path = PurePosixPath(posixpath.normpath(name)) if name.startswith("/") else None
    for inside, outside in sorted(mounts, key=lambda pair: -len(pair[0])):
        if path is not None and path.is_relative_to(inside):
            return outside / path.relative_to(inside)
    return None
