"""A copy of the working folder that a script may write to: small files copied, others linked."""

from __future__ import annotations

import os
import shutil
from collections import deque
from pathlib import Path

SMALL = 1024**2
"""Bytes of the largest file that is copied."""

MOST_BYTES, MOST_FILES = 64 * 1024**2, 5000
"""What is copied in all; from there on files and folders are linked."""

WHOLE = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".hg", ".svn",
                   ".tox", ".mypy_cache", "wandb", "mlruns"))  # fmt: skip
"""Folders that are linked as they are."""


DEPTH = 4
"""How many folders above the working folder may be the root of its project."""

MOST_BESIDE = 500
"""Files and folders beside the working folder that are linked where it belongs to no project."""


def surrounded(source: Path, into: Path, top: Path) -> Path:
    """Make a copy with what is beside the folder, as `../data` finds it; the folder's own copy.

    Of a git checkout all is there, else all of `top` if the folder is below it, or what the folder
    above has.
    """
    root = next((parent for parent in (source, *list(source.parents)[:DEPTH])
                 if (parent / ".git").exists()), None)  # fmt: skip
    if root is None and top in source.parents:
        root = top
    if root is None:
        folder = into / source.name if source.name else into
        mirrored(source, folder)
        if folder != into:
            _linked(source, into)
        return folder
    folder = into / source.relative_to(root)
    mirrored(source, folder)
    if root != source:
        mirrored(root, into, without=source)
    return folder


def _linked(source: Path, into: Path) -> None:
    """Links to what is beside a folder; none where that is too much."""
    try:
        beside = [entry for entry in os.scandir(str(source.parent)) if entry.name != source.name]
    except OSError:
        return
    if len(beside) <= MOST_BESIDE:
        for entry in beside:
            if Path(entry.path) not in (into, *into.parents):
                (into / entry.name).symlink_to(Path(entry.path).absolute())


def mirrored(source: Path, into: Path, without: Path | None = None) -> None:
    """Make the copy; nothing in the source is changed, and links lead to it."""
    into.mkdir(parents=True, exist_ok=True)
    folders = deque([(source, into)])
    files = size = 0
    while folders:
        folder, copy = folders.popleft()
        try:
            entries = sorted(os.scandir(str(folder)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            files += 1
            target, full = copy / entry.name, files > MOST_FILES or size > MOST_BYTES
            if Path(entry.path) in (without, into, *into.parents):
                continue
            if entry.is_dir(follow_symlinks=False) and not full and entry.name not in WHOLE:
                target.mkdir(exist_ok=True)
                folders.append((Path(entry.path), target))
            elif entry.is_file(follow_symlinks=False) and not full and _size(entry) <= SMALL:
                size += _copied(entry, target)
            elif not target.exists():  # the folder without which the rest is copied may be in it
                target.symlink_to(Path(entry.path).absolute())


def _size(entry: os.DirEntry[str]) -> int:
    """The bytes of a file; 0 for one that has been removed since the folder was read."""
    try:
        return entry.stat().st_size
    except OSError:
        return 0


def _copied(entry: os.DirEntry[str], target: Path) -> int:
    """Copy a file; one that cannot be read is linked. Its bytes.

    A program may write or remove files while the folder is copied: what is gone is left out.
    """
    try:
        shutil.copy2(entry.path, str(target), follow_symlinks=False)
        target.chmod(target.stat().st_mode | 0o200)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
        return 0
    except OSError:
        target.unlink(missing_ok=True)
        target.symlink_to(Path(entry.path).absolute())
        return 0
    return _size(entry)
