"""Processes: who dies with whom, who inherits orphans, and how to end all that are left."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable, Container
from typing import Any

CHILD_SUBREAPER, DEATH_SIGNAL = 36, 1
"""Numbers of Linux's prctl."""

OUT_OF_THE_WAY = 100
"""Descriptors from here on are not those that a library closes or writes to by mistake."""


def adopt_orphans() -> None:
    """From now on orphans among this process's descendants become its children (Linux)."""
    _prctl(CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Be killed when the parent ends (Linux); end at once where it has ended already."""
    _prctl(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def children() -> list[int]:
    """The ids of this process's children, if the system lists them (Linux)."""
    own, pids = str(os.getpid()).encode(), []
    names = os.listdir("/proc") if sys.platform == "linux" else []  # noqa: PTH208
    for name in filter(str.isdigit, names):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb", 0) as stat:  # noqa: PTH123
            if stat.read().rpartition(b")")[2].split()[1] == own:
                pids.append(int(name))
    return pids


def kill_children(spared: Container[int] = ()) -> None:
    """Kill all children with their groups, and theirs as they become ours; but not the spared."""
    for _ in range(100):
        processes = [process for process in children() if process not in spared]
        for process in processes:
            kill_group(process)
            quietly(os.kill, process, signal.SIGKILL)
            quietly(os.waitpid, process, os.WNOHANG)
        if not processes:
            return
        time.sleep(0.01)


def kill_group(process: int) -> None:
    """Kill the process group that a process leads."""
    quietly(os.killpg, process, signal.SIGKILL)


def child_signals() -> tuple[int, int]:
    """Both ends of a pipe: the first can be read whenever a child has ended."""
    wake, wakes = (out_of_the_way(end) for end in os.pipe())
    for end in (wake, wakes):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    return wake, wakes


def out_of_the_way(descriptor: int) -> int:
    """The same file under a high number, not inherited by what this process executes."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
    os.close(descriptor)
    return moved


def quietly(call: Callable[..., Any], *arguments: Any) -> None:
    """Call, whatever the system says to it."""
    with contextlib.suppress(OSError):
        call(*arguments)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
