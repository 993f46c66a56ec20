"""Where the processes of a training are, written down again and again, and whether they wait."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

EVERY, LOOKS = 5.0, 4
"""Seconds between two looks; after so many equal looks in a row a process counts as stuck."""

HELD = 12
"""Equal looks after which a process counts as held up by another one that is still active."""

TOGETHER = 2.0
"""Seconds that a process which has ended waits for the others."""

DUMPS = 6
"""How often all threads are written down: seldom, for the interpreter may not survive it."""

PLACES = ("distributed_c10d.py", "torch/distributed/", "accelerate/utils/operations.py")
ENDED = "-ended"


@dataclass(frozen=True)
class Rank:
    """One process of a training of `world`: the calls of its main thread, each time."""

    rank: int
    world: int
    ended: bool
    calls: tuple[str, ...]

    @property
    def waits(self) -> bool:
        """Whether it is in a collective call."""
        return any(place in call for call in self.calls[-1:] for place in PLACES)

    def is_stuck(self, times: int = 2) -> bool:
        """Whether it has not moved for some time."""
        return len(self.calls) >= times and len(set(self.calls[-times:])) == 1


def begin(records: Path, rank: int, world: int, seconds: float) -> None:
    """From now on this process is examined; one of several more often."""
    name = f"{rank}-{world}-{os.getpid()}.txt"
    # a thread of its own, in C: also where the script holds the interpreter's lock for ever
    dumps = (records / f"stack-{name}").open("w")
    # of one process only its last place is asked for: most rehearsals end before they are looked at
    every = seconds / DUMPS if world > 1 else seconds * (1 - 1 / DUMPS)
    faulthandler.dump_traceback_later(every, repeat=True, file=dumps)
    atexit.register(_end, records / f"stack-{name}", os.getpid(), world)
    if world > 1:  # a thread of Python's: what waits for others has released the lock
        main = threading.main_thread().ident
        threading.Thread(target=_look, args=(records / f"look-{name}", main), daemon=True).start()


def _look(file: Path, main: int) -> None:
    with file.open("w") as looks:
        while True:
            time.sleep(EVERY)
            calls = "\n".join(_calls(sys._current_frames().get(main)))
            looks.write(f"Timeout (look)!\nThread 0x0:\n{calls}\n")
            looks.flush()


def _calls(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        code = frame.f_code
        yield f'  File "{code.co_filename}", line {frame.f_lineno} in {code.co_name}'
        frame = frame.f_back


def _end(file: Path, process: int, world: int) -> None:
    """Say that the process has ended, and leave with the others: one may still hear from this one.

    gloo refuses a collective call whose last message comes from a process that is gone.
    """
    if os.getpid() != process:
        return
    with contextlib.suppress(OSError):
        file.rename(file.with_name(file.stem + ENDED + file.suffix))
        until = time.monotonic() + TOGETHER
        ended = f"stack-*-{world}-*{ENDED}{file.suffix}"
        while len(list(file.parent.glob(ended))) < world and time.monotonic() < until:
            time.sleep(0.05)


def ranks(records: Path, kind: str = "stack") -> dict[int, Rank]:
    """The processes that train, by rank; launchers and helpers are none of several."""
    by_rank: dict[int, Rank] = {}
    for file in sorted(records.glob(f"{kind}-*.txt")):
        rank, world = map(int, file.name.split("-")[1:3])
        text = file.read_text("utf-8", "replace")
        calls = tuple(part.rpartition("Thread 0x")[2] for part in text.split("Timeout (")[1:])
        entry = Rank(rank, world, ENDED in file.name, calls)
        earlier = by_rank.get(rank)
        if earlier is None or (world, len(calls)) > (earlier.world, len(earlier.calls)):
            by_rank[rank] = entry
    most = max((value.world for value in by_rank.values()), default=1)
    return {rank: value for rank, value in sorted(by_rank.items()) if value.world == most}


def stuck(records: Path) -> bool:
    """Whether all processes that have not ended wait for one another."""
    by_rank = ranks(records)
    looks = ranks(records, "look")
    alive = [rank for rank, state in by_rank.items() if not state.ended]
    several = len(by_rank) > 1 and len(by_rank) >= by_rank[0].world if 0 in by_rank else False
    return (
        several
        and bool(alive)
        and all(
            rank in looks and looks[rank].waits and looks[rank].is_stuck(LOOKS) for rank in alive
        )
    )


def held_up(records: Path) -> bool:
    """Whether some processes have waited for a minute for others that have not come so far."""
    by_rank = ranks(records)
    looks = ranks(records, "look")
    alive = [rank for rank, state in by_rank.items() if not state.ended and rank in looks]
    waiting = [rank for rank in alive if looks[rank].waits and looks[rank].is_stuck(HELD)]
    several = 0 in by_rank and len(by_rank) >= by_rank[0].world
    return several and 0 < len(waiting) < len(alive)


def latest(records: Path) -> dict[int, Rank]:
    """Where each process is: as it was seen last, or else as it was written down."""
    stack = stuck(records) or held_up(records)
    looks = ranks(records, "look") if stack else {}
    return {
        rank: Rank(rank, state.world, state.ended, looks[rank].calls) if rank in looks else state
        for rank, state in ranks(records).items()
    }
