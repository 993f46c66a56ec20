"""Settings that may name a program to start: only those that the user has trusted here.

A folder can come with a download, and so can the settings in it. The trusted pairs of a settings
file and a program are kept in the user's own state folder: if one of them changes, it must be
trusted again.
"""

from __future__ import annotations

import os
from pathlib import Path

from trl_doctor.core.own_folders import own_folder
from trl_doctor.core.whole import write_whole

HOW = (
    "read it, then run `trl-doctor trust`; or use --python, or set "
    "TRL_DOCTOR_PYTHON (for example in CI)"
)


class CannotTrust(Exception):
    """The trust cannot be stored; the message is the reason."""


def is_trusted(file: Path | None, program: str) -> bool:
    """Whether the user has trusted this settings file with this program."""
    try:
        return file is not None and _record(file, program).is_file()
    except (OSError, RuntimeError):
        return False


def trust(file: Path, program: str) -> None:
    """Keep that this settings file may start this program. Raises `CannotTrust`."""
    try:
        record = _record(file, program)
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(record, os.fsencode(f"{os.path.realpath(file)}\n{program}\n"))
    except (OSError, RuntimeError) as error:
        raise CannotTrust(f"that cannot be kept: {error}") from error


def distrust(file: Path, program: str) -> None:
    """Forget the trust, if there was any. Raises `CannotTrust`."""
    try:
        _record(file, program).unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise CannotTrust(f"that cannot be forgotten: {error}") from error


def _record(file: Path, program: str) -> Path:
    import hashlib

    pair = os.fsencode(os.path.realpath(file)) + b"\0" + program.encode("utf-8", "surrogateescape")
    return own_folder("state") / "trusted" / hashlib.sha256(pair).hexdigest()
