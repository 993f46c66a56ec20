"""Where a run's reward functions are called: they find the run's files, and change none of them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import network

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link")

_closed: dict[str, list[Path]] = {"roots": [], "open": []}
_hooked: list[bool] = []
reached: list[str] = []
"""What a probe refused on the network since it started, also where the caller caught it."""


class WriteRefused(PermissionError):
    """Somebody tried to change a file of the run."""


class _Refused(network.NetworkRefused):
    def __init__(self, message: str) -> None:
        super().__init__(message)
        reached.append(message)


def held(error: BaseException | None) -> bool:
    """Whether an error is there only because a probe may do less than the run."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, (network.NetworkRefused, WriteRefused)):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


@contextlib.contextmanager
def place(roots: list[str]) -> Iterator[None]:
    """Modules and relative paths are found in these folders; new files go into this one."""
    original = network.NetworkRefused
    network.NetworkRefused = _Refused  # type: ignore[misc,assignment]
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked.append(True)
    here = Path.cwd()
    before = list(sys.path)
    for root in roots:
        _link(Path(root), here)
    sys.path[:0] = roots
    _closed["open"] = [here.resolve(), Path(os.environ.get("TMPDIR", here)).resolve()]
    _closed["roots"] = [Path(root).resolve() for root in roots]
    try:
        yield
    finally:
        _closed["roots"] = []
        network.NetworkRefused = original  # type: ignore[misc]
        sys.path[:] = before


def _link(root: Path, here: Path) -> None:
    """The entries of a folder, linked here: what is there is read, what is new is made here."""
    for entry in root.iterdir():
        with contextlib.suppress(OSError):
            (here / entry.name).symlink_to(entry)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _closed["roots"]:
        return
    changes = event in CHANGES or (event == "open" and arguments[2] & WRITES)
    if not changes or isinstance(arguments[0], int):
        return
    path = Path(os.fsdecode(arguments[0])).resolve()
    if _below(path, "roots") and not _below(path, "open"):
        raise WriteRefused(f"a probe may not change {path}")


def _below(path: Path, which: str) -> bool:
    return any(root == path or root in path.parents for root in _closed[which])
