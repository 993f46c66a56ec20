"""Ending a change of files that was interrupted, at the cost of one look where none was."""

from __future__ import annotations

import os
from pathlib import Path

from trl_doctor.core.records import RECORDS, UNFINISHED


def recover(folder: Path) -> list[str]:
    """End a change of this folder's files that a killed process left half made.

    All its files become new if all was ready to be put in place, else old. Returns sentences on
    what was done, none if nothing was to be done. `Refused` (see `writing.write`) while another
    process is at work, and where the record is not to be believed: then nothing was touched.
    """
    try:
        os.lstat(folder / RECORDS / UNFINISHED)
    except OSError:
        return []
    from trl_doctor.repair.writing.undo import end

    return end(Path(os.path.realpath(folder))).sentences()
