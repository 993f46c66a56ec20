"""Where the processes of a training are, written down again and again, and whether they wait."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
from dataclasses import dataclass
from pathlib import Path

EVERY, LOOKS = 5.0, 4
"""Seconds between two looks; so many alike in a row say that a process stands still."""

PLACES = ("distributed_c10d.py", "torch/distributed/", "accelerate/utils/operations.py")
ENDED = "-ended"


@dataclass(frozen=True)
class Rank:
    """One process of a training of `world`: the calls of its main thread at each look."""

    rank: int
    world: int
    ended: bool
    looks: tuple[str, ...]

    @property
    def waits(self) -> bool:
        """Whether it is in a collective call, and has been for some looks."""
        last = self.looks[-1:]
        return self.stands and any(place in last[0] for place in PLACES)

    @property
    def stands(self) -> bool:
        """Whether it has not moved for some looks."""
        return len(self.looks) >= LOOKS and len(set(self.looks[-LOOKS:])) == 1


def begin(records: Path, rank: int, world: int, left: float) -> None:
    """From now on this process is looked at."""
    file = records / f"stack-{rank}-{world}-{os.getpid()}.txt"
    # a thread of its own, in C: also where the script holds the interpreter's lock for ever
    faulthandler.dump_traceback_later(min(left / 6, EVERY), repeat=True, file=file.open("w"))
    atexit.register(_end, file, os.getpid())


def _end(file: Path, process: int) -> None:
    if os.getpid() == process:
        with contextlib.suppress(OSError):
            file.rename(file.with_name(file.stem + ENDED + file.suffix))


def ranks(records: Path) -> dict[int, Rank]:
    """The processes that train, by rank; launchers and helpers are none of several."""
    found: dict[int, Rank] = {}
    for file in sorted(records.glob("stack-*.txt")):
        rank, world = map(int, file.name.split("-")[1:3])
        text = file.read_text("utf-8", "replace")
        looks = tuple(part.rpartition("Thread 0x")[2] for part in text.split("Timeout (")[1:])
        one = Rank(rank, world, ENDED in file.name, looks)
        known = found.get(rank)
        if known is None or (world, len(looks)) > (known.world, len(known.looks)):
            found[rank] = one
    most = max((one.world for one in found.values()), default=1)
    return {rank: one for rank, one in sorted(found.items()) if one.world == most}


def stuck(records: Path) -> bool:
    """Whether all processes that have not ended wait for one another."""
    found = list(ranks(records).values())
    alive = [one for one in found if not one.ended]
    several = len(found) > 1 and len(found) >= found[0].world
    return several and bool(alive) and all(one.waits for one in alive)
