"""Times whole processes in turns, so that what the machine does meanwhile hits all alike."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence


def in_turns(
    commands: Mapping[str, Sequence[str]],
    runs: int,
    statuses: tuple[int, ...] = (0, 1),
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of each run by command, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    # compiled modules are kept, as they are where a user installed them
    world = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for number in range(runs + 1):
        for name, command in commands.items():
            start = clock()
            process = subprocess.run(command, capture_output=True, check=False, env=world)
            took = clock() - start
            if process.returncode not in statuses:
                raise SystemExit(f"{name} failed: {process.stderr.decode()[-2000:]}")
            if number:
                seconds[name].append(took)
    return seconds


def processor() -> float:
    """Seconds of the processor that all processes started here have used; for a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio(first: Sequence[float], second: Sequence[float]) -> str:
    """How many times longer the first took, pair by pair: median, and the least and the most."""
    ratios = sorted(a / b for a, b in zip(first, second, strict=True))
    return f"{statistics.median(ratios):7.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def milliseconds(seconds: Sequence[float]) -> str:
    """Median, least and most."""
    scaled = sorted(1000 * second for second in seconds)
    return f"{statistics.median(scaled):8.0f} ms  ({scaled[0]:.0f} to {scaled[-1]:.0f})"
