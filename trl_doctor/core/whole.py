"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Replace a regular file atomically; write directly into anything else (a pipe,
    /dev/stderr).

    After an error the file is unchanged, and no other file is left. Raises `OSError`.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(file.stat().st_mode):
            file.write_bytes(data)
            return
    import tempfile

    beside, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:100]}.")
    try:
        with os.fdopen(beside, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
