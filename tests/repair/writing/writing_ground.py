"""What the tests of writing share: a change of one file, and what a folder holds."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from trl_doctor.repair.writing.write import Change

FSYNC = os.fsync

OLD, NEW = b'{"eos_token_id": 1}\n', b'{"eos_token_id": 2}\n'


def held(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """All that a folder holds, links and records included: mode, and bytes or target."""
    by_name: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: bytes | str = "not a file"
        if path.is_symlink():
            content = str(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        by_name[str(path.relative_to(folder))] = status.st_mode, content
    return by_name


def config(model: Path, before: bytes | None = OLD, after: bytes | None = NEW) -> Change:
    return Change(model / "config.json", before, after)


def in_child(act: Callable[[], object]) -> str:
    """What an act in another process says: "done", or the refusal."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = "done"
        try:
            act()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return text
