"""Regular files, opened for reading: what waits or never ends (a pipe, a device) is refused."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def opened(path: Path) -> BinaryIO:
    """A regular file, open for reading bytes; links are followed.

    Raises `OSError`: `IsADirectoryError("a named pipe")` and the like for what is no regular file,
    which is never opened. A plain `open` of a named pipe waits until another program writes.
    """
    _refuse_others(path.stat().st_mode)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(descriptor, "rb")
    try:
        _refuse_others(os.fstat(descriptor).st_mode)  # it may have been replaced meanwhile
    except OSError:
        file.close()
        raise
    return file


def bytes_of(path: Path, limit: int = -1) -> bytes:
    """The first `limit` bytes of a regular file, all of them for -1. Raises `OSError`."""
    with opened(path) as file:
        return file.read(limit)


def text_of(path: Path, errors: str = "strict") -> str:
    """The UTF-8 text of a regular file. Raises `OSError` and `UnicodeDecodeError`."""
    return bytes_of(path).decode(errors=errors).replace("\r\n", "\n").replace("\r", "\n")


def _refuse_others(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise IsADirectoryError(kind_of_file(mode))


def kind_of_file(mode: int) -> str:
    """What a file of this mode is, in words."""
    kinds: list[tuple[Callable[[int], bool], str]] = [
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
    ]
    return next((name for test, name in kinds if test(mode)), "a device")
