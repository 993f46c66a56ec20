"""Lets a process write in its own folders only, where the kernel has Landlock (Linux 5.13)."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on every architecture."""

NO_NEW_PRIVILEGES = 38
"""Of prctl; without it only root may restrict itself."""

BENEATH = 1
WRITE_FILE, REFER, TRUNCATE = 1 << 1, 1 << 13, 1 << 14
CHANGES = sum(1 << bit for bit in (1, *range(4, 13)))
"""Write a file; remove and make files, folders, links, pipes, sockets and devices."""

DEVICES = (
    "null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "kfd", "dri",
    "nvidia*", "infiniband",
)  # fmt: skip
"""What is written to below /dev: nothing of the user's, shared memory, GPUs."""

_reasons: list[str] = []


def is_met(error: BaseException) -> bool:
    """Whether an error is there only because this process may write to less than its user may."""
    if not isinstance(error, PermissionError) or _reasons != [""] or not error.filename:
        return False
    path = os.fsdecode(error.filename)
    return os.access(path, os.W_OK) or os.access(Path(path).parent, os.W_OK)


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def confine(folders: Iterable[Path]) -> str:
    """From now on this process and its children write only below these folders and to devices.

    Reading and running stay as they are. Gives "" if that holds, else why it does not.
    """
    _reasons[:] = [_confined(folders)]
    return _reasons[0]


def missing() -> str:
    """Why no process can be confined here; "" if it can."""
    if sys.platform != "linux":
        return "only Linux has Landlock"
    return "" if _version() > 0 else "this kernel has no Landlock, or has it switched off"


def _version() -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, 1))


def _confined(folders: Iterable[Path]) -> str:
    if reason := missing():
        return reason
    system, version = ctypes.CDLL(None, use_errno=True), _version()
    handled = CHANGES | (REFER if version > 1 else 0) | (TRUNCATE if version > 2 else 0)
    rules = system.syscall(CREATE_RULESET, ctypes.byref(_Ruleset(handled)), 8, 0)
    if rules < 0:
        return "Landlock: " + os.strerror(ctypes.get_errno())
    try:
        devices = [device for name in DEVICES for device in Path("/dev").glob(name)]
        for path in (*folders, *devices):
            _allow(system, rules, path, handled)
        system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if system.syscall(RESTRICT_SELF, rules, 0):
            return "Landlock: " + os.strerror(ctypes.get_errno())
    finally:
        os.close(rules)
    return ""


def _allow(system: ctypes.CDLL, rules: int, path: Path, handled: int) -> None:
    """Let what is below a path be changed; of a file only its content."""
    try:
        end = os.open(str(path), os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    allowed = handled if path.is_dir() else handled & (WRITE_FILE | TRUNCATE)
    rule = _Beneath(allowed, end)
    system.syscall(ADD_RULE, rules, BENEATH, ctypes.byref(rule), 0)
    os.close(end)
