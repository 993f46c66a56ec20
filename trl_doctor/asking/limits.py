"""The limits of a probe: time, memory, disk."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.core.sizes import GIB

UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": GIB, "t": 1024**4}
MOST = 16 * GIB
"""Bytes of memory if the system does not state what is free, and of disk."""


def usual_memory() -> int:
    """Four fifths of the main memory that is free now, in bytes."""
    free = free_memory()
    return MOST if free is None else free * 4 // 5


def usual_disk() -> int:
    """16 GiB, or four fifths of what is free for temporary files where that is less. In bytes."""
    return min(MOST, shutil.disk_usage(tempfile.gettempdir()).free * 4 // 5)


FULL_SECONDS = 1800.0
"""Three steps with the real weights, which are loaded first."""


class ProbeLimits(Struct, frozen=True):
    """The limits of one probe: seconds, bytes of main memory, bytes of disk.

    `starting` are the seconds that the interpreter may take to start and import, once for all.
    """

    seconds: float = 300.0
    starting: float = 300.0
    memory: int = field(default_factory=usual_memory)
    disk: int = field(default_factory=usual_disk)


def in_time(limits: ProbeLimits, level: str | None, seconds: float | None) -> ProbeLimits:
    """The limits with the given seconds, else with the usual seconds of a level."""
    chosen = seconds or (FULL_SECONDS if level == "full" else limits.seconds)
    return replace(limits, seconds=chosen, starting=seconds or limits.starting)


def size(text: str) -> int:
    """A size as people write it: `8GiB`, `8G`, `500 MB` (all powers of 1024). In bytes.

    Raises `ValueError`.
    """
    match_ = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not match_ or int(float(match_[1]) * UNITS[match_[2]]) < 1:
        raise ValueError(f"{text!r} is no size: write it like 8GiB")
    return int(float(match_[1]) * UNITS[match_[2]])


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes of main memory that are available, within the limits of this machine and container.

    None if the system does not state it. `root` is the folder of the system's files.
    """
    try:
        available = re.search(
            r"^MemAvailable:\s+(\d+) kB", (root / "proc/meminfo").read_text(), re.M
        )
    except OSError:
        return None
    free = [int(available[1]) * 1024] if available else []
    groups = root / "sys/fs/cgroup"
    for folder, most, used in (
        (groups, "memory.max", "memory.current"),
        (groups / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            free.append(_group_memory(folder, most, used))
    return min(free, default=None)


def _group_memory(group: Path, most: str, used: str) -> int:
    """The free bytes of a group of processes. Raises `OSError`, `ValueError` without a limit."""
    limit, in_use = int((group / most).read_text()), int((group / used).read_text())
    stat = (group / "memory.stat").read_text()
    files = re.search(r"^(?:total_)?inactive_file (\d+)$", stat, re.M)
    return max(0, limit - in_use + (int(files[1]) if files else 0))
