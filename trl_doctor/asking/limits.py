"""The limits of a probe: time, memory, disk."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from trl_doctor.core.sizes import GIB

UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": GIB, "t": 1024**4}
MOST = 16 * GIB
"""Bytes of memory where the system does not say what is free, and of disk."""


def usual_memory() -> int:
    """Four fifths of the main memory that is free now, in bytes."""
    free = free_memory()
    return MOST if free is None else free * 4 // 5


def usual_disk() -> int:
    """16 GiB, or four fifths of what is free for temporary files where that is less. In bytes."""
    return min(MOST, shutil.disk_usage(tempfile.gettempdir()).free * 4 // 5)


FULL_SECONDS = 1800.0
"""Three steps with the real weights, which are loaded first."""


@dataclass(frozen=True)
class ProbeLimits:
    """The limits of one probe: seconds, bytes of main memory, bytes of disk.

    `starting` are the seconds that the interpreter may take to start and import, once for all.
    """

    seconds: float = 300.0
    starting: float = 300.0
    memory: int = field(default_factory=usual_memory)
    disk: int = field(default_factory=usual_disk)


def in_time(limits: ProbeLimits, level: str | None, seconds: float | None) -> ProbeLimits:
    """The limits with the seconds that were said, else those that are usual at a level."""
    chosen = seconds or (FULL_SECONDS if level == "full" else limits.seconds)
    return replace(limits, seconds=chosen, starting=seconds or limits.starting)


def size(text: str) -> int:
    """A size as people write it: `8GiB`, `8G`, `500 MB` (all powers of 1024). In bytes.

    Raises `ValueError`.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not found or int(float(found[1]) * UNITS[found[2]]) < 1:
        raise ValueError(f"{text!r} is no size: write it like 8GiB")
    return int(float(found[1]) * UNITS[found[2]])


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes of main memory that could be taken now, by this machine's and its container's limits.

    None where the system does not say. `root` is where the system's files are found.
    """
    try:
        said = re.search(r"^MemAvailable:\s+(\d+) kB", (root / "proc/meminfo").read_text(), re.M)
    except OSError:
        return None
    free = [int(said[1]) * 1024] if said else []
    groups = root / "sys/fs/cgroup"
    for folder, most, now in (
        (groups, "memory.max", "memory.current"),
        (groups / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            free.append(_left(folder, most, now))
    return min(free, default=None)


def _left(group: Path, most: str, now: str) -> int:
    """What a group of processes may still take. Raises `OSError`, `ValueError` without a limit."""
    limit, taken = int((group / most).read_text()), int((group / now).read_text())
    stat = (group / "memory.stat").read_text()
    files = re.search(r"^(?:total_)?inactive_file (\d+)$", stat, re.M)
    return max(0, limit - taken + (int(files[1]) if files else 0))
