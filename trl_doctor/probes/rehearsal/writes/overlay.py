"""Lets a script write to folders outside its own: what it writes there is in the scratch folder.

`/workspace`, `/content` and the like are not on every machine, and nothing of the user's changes.
What compiled code opens by itself is not moved: it is refused.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import pathlib
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import patching
from ..noted import unnoted
from .away import ELSEWHERE, Away, elsewhere

READING = ("stat", "lstat", "access", "chdir", "statvfs", "readlink")
MAKING = ("mkdir", "mkfifo")
CHANGING = ("remove", "unlink", "rmdir", "chmod", "utime", "truncate")
FROM_TO = {"rename": True, "replace": True, "link": False, "symlink": False}
"""Functions of two paths, and whether the first is a file that they change."""

ADDED = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
COPIED = 64 * 1024**2
"""Bytes of the largest file of the user's that is copied because the script adds to it."""

STAT = os.stat
"""As it is before a rehearsal begins."""


class Overlay:
    """Paths of the script, and where in the scratch folder they are."""

    def __init__(self, away: Away) -> None:
        self.away = away
        self._busy = threading.local()
        self._any = False

    def begin(self) -> None:
        """From now on Python's own functions of files go there."""
        for name in READING:
            patching.around(os, name, self._redirected(self.read))
        for name in MAKING:
            patching.around(os, name, self._redirected(self.made))
        for name in CHANGING:
            patching.around(os, name, self._redirected(self.read))
        for name, moves in FROM_TO.items():
            patching.around(os, name, self._two(moves))
        patching.around(os, "open", self._os_open)
        patching.around(os, "listdir", self._listed)
        patching.around(os, "scandir", self._scanned)
        for owner in (builtins, io):
            patching.around(owner, "open", self._open)
        _patch_pathlib()

    def tensors(self, module: ModuleType) -> None:
        """`torch.save`, which opens its file itself; `module` is torch."""
        patching.around(module, "save", self._torch_save)

    def weights(self, module: ModuleType) -> None:
        """The same of safetensors; `module` is `safetensors.torch`."""
        patching.around(module, "save_file", self._torch_save)
        patching.around(module, "load_file", self._redirected(self.read))

    def rows(self, module: ModuleType) -> None:
        """Data sets on disk: their files are opened by Arrow."""
        for name in ("Dataset", "DatasetDict"):
            if hasattr(module, name):
                patching.around(getattr(module, name), "save_to_disk", self._redirected(self.made))

    def read(self, path: Any) -> Any:
        """Where a path is: in the scratch folder, if the script has written there."""
        if not isinstance(path, (str, bytes, os.PathLike)) or self._is_off():
            return path
        if not self._has_any():
            return path
        with self._off():
            moved = self._moved(path)
            return moved if moved is not None and os.path.lexists(moved) else path

    def made(self, path: Any) -> Any:
        """Where the script makes a file or folder of that name."""
        return self._written(path, keeps=False)

    def added(self, path: Any) -> Any:
        """The same for a file that may be there and keeps its content."""
        return self._written(path, keeps=True)

    def _written(self, path: Any, keeps: bool) -> Any:
        if self._is_off() or not isinstance(path, (str, bytes, os.PathLike)):
            return path
        with self._off():
            moved = self._moved(path)
            own = Path(os.fsdecode(path))
            if moved is None or own.is_dir():
                return path
            self.away.moves(os.path.realpath(own))
            target = Path(moved)
            target.parent.mkdir(parents=True, exist_ok=True)
            if keeps and own.is_file() and not target.exists() and own.stat().st_size <= COPIED:
                shutil.copyfile(str(own), moved)
            return moved

    def _moved(self, path: Any) -> str | None:
        """The path in the scratch folder for one outside; None for what stays."""
        real = os.path.realpath(os.fsdecode(path))
        return None if self.away.inside(real) else str(elsewhere(real, self.away.order))

    def _has_any(self) -> bool:
        """Whether any process has written outside; asked for each file that any module opens."""
        if not self._any:
            with contextlib.suppress(OSError):
                STAT(f"{self.away.order.scratch}/{ELSEWHERE}")
                self._any = True
        return self._any

    def _is_folder(self, path: Any) -> bool:
        with self._off():
            return Path(os.fsdecode(path)).is_dir()

    def _is_off(self) -> bool:
        return bool(getattr(self._busy, "on", False))

    def _off(self) -> _Off:
        return _Off(self._busy)

    def _redirected(self, where: Callable[[Any], Any]) -> patching.Around:
        def call(original: Any, *args: Any, **more: Any) -> Any:
            if more.get("dir_fd") is None and args:
                at = 1 if hasattr(args[0], "column_names") else 0  # a method's object
                args = (*args[:at], where(args[at]), *args[at + 1 :])
            return original(*args, **more)

        return call

    def _two(self, moves: bool) -> patching.Around:
        def call(original: Any, source: Any, target: Any, *args: Any, **more: Any) -> Any:
            if any(value is not None for name, value in more.items() if name.endswith("dir_fd")):
                return original(source, target, *args, **more)
            return original(self.read(source) if moves else source, self.made(target),
                            *args, **more)  # fmt: skip

        return call

    def _os_open(self, original: Any, path: Any, flags: int, *args: Any, **more: Any) -> Any:
        if more.get("dir_fd") is None:
            path = self.added(path) if flags & ADDED else self.read(path)
        return original(path, flags, *args, **more)

    def _open(self, original: Any, file: Any, mode: Any = "r", *args: Any, **more: Any) -> Any:
        if isinstance(mode, str) and any(letter in mode for letter in "ax+"):
            file = self.added(file)
        elif isinstance(mode, str) and "w" in mode:
            file = self.made(file)
        else:
            file = self.read(file)
        return original(file, mode, *args, **more)

    def _listed(self, original: Any, path: Any = ".") -> Any:
        moved = self.read(path)
        if moved is path or not self._is_folder(path):
            return original(moved)
        return list(dict.fromkeys([*original(moved), *original(path)]))

    def _scanned(self, original: Any, path: Any = ".") -> Any:
        moved = self.read(path)
        if moved is path or not self._is_folder(path):
            return original(moved)
        return _Both(original(moved), original(path))

    def _torch_save(self, original: Any, saved: Any, f: Any, *args: Any, **more: Any) -> Any:
        return original(unnoted(saved), self.made(f), *args, **more)


class _Off:
    """While it is entered, paths are what they are."""

    def __init__(self, busy: Any) -> None:
        self.busy, self.before = busy, getattr(busy, "on", False)

    def __enter__(self) -> None:
        self.busy.on = True

    def __exit__(self, *error: Any) -> None:
        self.busy.on = self.before


class _Both:
    """What two folders have, each name once."""

    def __init__(self, *scans: Any) -> None:
        self.scans = scans
        self._entries = self._each()

    def _each(self) -> Iterator[Any]:
        names: set[str] = set()
        for scan in self.scans:
            for entry in scan:
                if entry.name not in names:
                    names.add(entry.name)
                    yield entry

    def __iter__(self) -> _Both:
        return self

    def __next__(self) -> Any:
        return next(self._entries)

    def __enter__(self) -> _Both:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Both are closed."""
        for scan in self.scans:
            scan.close()


def _patch_pathlib() -> None:
    """Python 3.9 and 3.10 keep functions of `os` in pathlib."""
    accessor: Any = getattr(pathlib, "_NormalAccessor", None)
    if accessor is None:
        return
    accessor.open = staticmethod(os.open if sys.version_info < (3, 10) else io.open)
    for name in (*READING, *MAKING, *CHANGING, *FROM_TO, "listdir", "scandir"):
        if hasattr(accessor, name):
            setattr(accessor, name, staticmethod(getattr(os, name)))
