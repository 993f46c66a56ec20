"""How much a probe may take, and how much it takes now."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GIB = 1024**3
UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": GIB, "t": 1024**4}


@dataclass(frozen=True)
class Limits:
    """The limits of one probe: seconds, bytes of main memory, bytes of disk."""

    seconds: float = 300.0
    memory: int = 16 * GIB
    disk: int = 16 * GIB


def size(text: str) -> int:
    """A size as people write it: `8GiB`, `8G`, `500 MB` (all powers of 1024). In bytes.

    Raises `ValueError`.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not found or not float(found[1]):
        raise ValueError(f"{text!r} is no size: write it like 8GiB")
    return int(float(found[1]) * UNITS[found[2]])


def shown(bytes_: float) -> str:
    """A size for a person: `1.4 GiB`, `620 MiB`."""
    return f"{bytes_ / GIB:.1f} GiB" if bytes_ >= GIB else f"{bytes_ / 1024**2:.0f} MiB"


def free_memory() -> int | None:
    """Bytes of main memory that could be taken now; None where the system does not say."""
    try:
        said = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    except OSError:
        return None
    return int(said[1]) * 1024 if said else None


def group_memory(group: int) -> int:
    """Bytes of main memory that the processes of a group hold together now."""
    if sys.platform == "linux":
        return sum(_resident(entry, group) for entry in os.scandir("/proc") if entry.name.isdigit())
    try:
        listed = subprocess.run(
            ["ps", "-axo", "pgid=,rss="], capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    rows = [line.split() for line in listed.stdout.splitlines()]
    return sum(int(row[1]) * 1024 for row in rows if len(row) == 2 and row[0] == str(group))


def _resident(entry: os.DirEntry[str], group: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        fields = Path(entry.path, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        if int(fields[2]) == group:
            return int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def disk_used(folder: Path) -> int:
    """Bytes that the files below a folder take on the disk; links count for themselves."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(root, name)).st_blocks * 512  # noqa: PTH118
    return total
