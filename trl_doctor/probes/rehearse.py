"""Runs a user's own command on a small scale, and says how it ended; its processes tell the rest.

What is not here is made up; where the script then asks for more, it runs once more with that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .answers.rehearse import RehearseAnswer
from .processes import kill_children, kill_group
from .rehearsal.errors import stacks
from .rehearsal.order import Order
from .rehearsal.rows.made_up.learnt import Learnt, learning
from .rehearsal.start import started
from .rehearsal.writes.mirror import surrounded

ATTEMPTS = 4
"""How often a command runs at most: each time made rows lacked a column, or had another form."""

GRACE = 4.0
"""Seconds that processes have to write down where they are."""

LOOK = 2.0
"""Seconds between two looks whether the processes still move."""


def answer(request: dict[str, Any]) -> RehearseAnswer:
    """The exit status of the last attempt, and whether time ran out.

    A signal's number is negative. Records of the attempts are in folders below `records`.
    """
    scratch = Path.cwd()
    (scratch / "tmp").mkdir(exist_ok=True)
    begun = time.monotonic()
    known = Learnt()
    for attempt in range(1, ATTEMPTS + 1):
        records = scratch / "records" / str(attempt)
        records.mkdir(parents=True)
        root = scratch / f"run-{attempt}"
        folder = surrounded(Path(request["own"]), root, Path(request["top"]))
        for name, text in request["files"].items():
            (folder / name).unlink(missing_ok=True)  # it may be a link to the user's own
            (folder / name).write_text(text, "utf-8")
        started_at = time.monotonic()
        seconds_left = request["seconds"] - (started_at - begun)
        order = Order(
            scratch=scratch, records=records, root=root, folder=folder, own=Path(request["own"]),
            begun=time.time(), seconds=seconds_left, steps=request["steps"], rows=request["rows"],
            columns=tuple(request["columns"]), stand_ins=request["stand_ins"],
            fetched=request["fetched"],
            trusted=request["trusted"], processes=request["processes"], asked=request["asked"],
            disk=request["disk"], wide=request["wide"],
        )  # fmt: skip
        status, late = _ran(request, order)
        more = learning(_events(records), known)
        ended = time.monotonic()
        enough = request["seconds"] - (ended - begun) > ended - started_at
        if status == 0 or late or more == known or not enough:
            break
        known = more
        known.write(scratch)
    return RehearseAnswer(status, late, attempt, str(folder), known.columns)


def _ran(request: dict[str, Any], order: Order) -> tuple[int, bool]:
    """Run the command to its end, or to the end of its time; then nothing of it is left."""
    command, variables = request["command"], request["variables"]
    if request["forks"]:  # the libraries are imported in this process: the first word is Python
        from .rehearsal.warm import Forks

        process: subprocess.Popen[bytes] | Forks = Forks(
            command[1:], order, variables, request["forks"]
        )
    else:
        process = subprocess.Popen(
            command,
            cwd=str(order.folder),
            env=started(order, {**os.environ, **variables}),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    late = _is_late(process, order)
    if isinstance(process, subprocess.Popen):
        kill_group(process.pid)
    else:
        process.kill()
    status = process.wait()
    kill_children()
    return (-signal.SIGKILL if late else status), late


def _is_late(process: Any, order: Order) -> bool:
    """Wait for the end. True if time ran out, or processes wait for others forever."""
    end = time.monotonic() + order.seconds
    while (seconds_left := end - time.monotonic()) > 0:
        try:
            process.wait(min(seconds_left, LOOK))
        except subprocess.TimeoutExpired:
            if stacks.stuck(order.records) or stacks.held_up(order.records):
                return True
        else:
            return False
    time.sleep(GRACE)
    return True


def _events(records: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(records.glob("record-*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)
