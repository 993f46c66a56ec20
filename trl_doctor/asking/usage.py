"""The memory and disk space that probes use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

CHILDREN = Path("/proc/thread-self/children")
"""A file that not every kernel of Linux has."""


class Process(Struct, frozen=True):
    """A process: its id, who started it, and its bytes of main memory where they are listed."""

    pid: int
    parent: int
    listed: int | None = None

    @property
    def memory(self) -> int:
        """The bytes that it holds for itself now; 0 if it has ended.

        On Linux, where they are read when they are asked for, files that are mapped, as weights
        are, do not count: they can be dropped at any time.
        """
        if self.listed is not None:
            return self.listed
        try:
            resident, mapped = _read(f"/proc/{self.pid}/statm").split()[1:3]
        except (OSError, ValueError):
            return 0
        return max(0, int(resident) - int(mapped)) * os.sysconf("SC_PAGE_SIZE")


def processes(*roots: int) -> dict[int, Process]:
    """These processes and all that they have started, by id; perhaps others of this machine."""
    if sys.platform == "linux":
        return _below(roots) if CHILDREN.exists() else _from_proc()
    try:
        listed = subprocess.run(
            ["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, timeout=5
        )
        rows = [[int(field) for field in line.split()] for line in listed.stdout.splitlines()]
        return {pid: Process(pid, parent, kib * 1024) for pid, parent, kib in rows}
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}


def with_variable(text: str) -> list[int]:
    """The ids of this user's processes with a text in their environment variables (Linux)."""
    children = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if entry.stat().st_uid == os.geteuid() and text.encode() in entry.read_bytes():
                children.append(int(entry.parent.name))
    return [process for process in children if process != os.getpid()]


def tree_memory(process: int, process_table: Mapping[int, Process], enough: int = 0) -> int:
    """The bytes that a process uses, with the private memory of processes that it started.

    What forks share counts for each of them, unless that makes more than `enough`: the system needs
    long to compute how much of its memory a process shares.
    """
    started: dict[int, list[int]] = {}
    for pid, entry in process_table.items():
        started.setdefault(entry.parent, []).append(pid)
    own = process_table[process].memory if process in process_table else 0
    below = [*started.get(process, [])]
    for pid in below:
        below += started.get(pid, [])
    most = own + sum(process_table[pid].memory for pid in below)
    return most if most <= enough else own + sum(_private(pid, process_table) for pid in below)


def disk_used(folder: Path) -> int:
    """Bytes that the files below a folder take on the disk; links count for themselves."""
    total, folders = 0, [str(folder)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    return total


def _private(pid: int, process_table: Mapping[int, Process]) -> int:
    private = _own_memory(pid)
    return process_table[pid].memory if private is None else private


def _own_memory(pid: int) -> int | None:
    """The bytes that a process alone has written; None if the system does not state it."""
    try:
        lines = Path("/proc", str(pid), "smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) * 1024


def _below(roots: Iterable[int]) -> dict[int, Process]:
    """By the lists of children that each thread of a process has: a few files for each look."""
    by_pid = {pid: Process(pid, 0) for pid in roots}
    queue = list(by_pid)
    for pid in queue:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
                for child in map(int, _read(f"/proc/{pid}/task/{thread}/children").split()):
                    if child not in by_pid:
                        by_pid[child] = Process(child, pid)
                        queue.append(child)
    return by_pid


def _from_proc() -> dict[int, Process]:
    by_pid = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError):
                fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split()
                by_pid[int(name)] = Process(int(name), int(fields[1]))
    return by_pid


def _read(file: str) -> bytes:
    """The start of a file of the system; a thousand of them are read while a probe runs."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
