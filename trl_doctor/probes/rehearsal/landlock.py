"""Keeps a process and its children from writing outside some folders, where the kernel can."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

CREATE, ADD, RESTRICT = 444, 445, 446
"""Numbers of Linux's system calls, the same on all machines."""

NO_NEW_PRIVILEGES = 38
BENEATH = 1
WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
"""Write to files, remove and make entries of every kind; reading stays free."""

REFER, TRUNCATE = 1 << 13, 1 << 14
"""Rights that came with versions 2 and 3 of the interface."""


def version() -> int:
    """The version of the kernel's interface; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(CREATE, None, 0, 1)))


def confined(folders: Iterable[str]) -> bool:
    """From now on only what is below these folders can be written; whether the kernel sees to it.

    Children inherit it, and nobody can take it back.
    """
    known = version()
    if not known:
        return False
    library = ctypes.CDLL(None)
    handled = WRITES | (REFER if known >= 2 else 0) | (TRUNCATE if known >= 3 else 0)
    asked = struct.pack("Q", handled)
    rules = int(library.syscall(CREATE, asked, len(asked), 0))
    if rules < 0:
        return False
    try:
        for folder in folders:
            _allow(library, rules, folder, handled)
        library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return int(library.syscall(RESTRICT, rules, 0)) == 0
    finally:
        os.close(rules)


def _allow(library: ctypes.CDLL, rules: int, folder: str, rights: int) -> None:
    try:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        library.syscall(ADD, rules, BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)
