"""The memory of this machine, without that of its GPUs."""

from __future__ import annotations

import re
from pathlib import Path


def main_memory(file: Path = Path("/proc/meminfo")) -> tuple[int, int]:
    """Bytes of this machine's memory, and those that are free; 0 if it does not say."""
    try:
        sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", file.read_text("utf-8"), re.MULTILINE))
    except OSError:
        return 0, 0
    return int(sizes.get("MemTotal", 0)) * 1024, int(sizes.get("MemAvailable", 0)) * 1024
