"""Watches the host: whatever ends the doctor or the host, nothing of theirs is left."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import time
from pathlib import Path

from .processes import adopt_orphans, child_signals, die_with, kill_children, kill_group, quietly

PATIENCE = 0.5
"""Seconds that the host has to end its probes by itself."""


def stand_guard(requests: int, events: int, root: Path) -> None:
    """Return in a child, which becomes the host. This process waits for its end.

    It never returns here: it reports to the doctor on `events` how the host ended, kills what is
    left, and when the doctor closes its end of `requests`, or dies, removes `root` and ends.
    """
    guard = os.getpid()
    adopt_orphans()
    host = os.fork()
    if not host:
        die_with(guard)
        return
    try:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        status = _until_it_ends(host, requests)
        kill_children()
        quietly(os.write, events, json.dumps({"gone": status}).encode() + b"\n")
        quietly(os.close, events)
        _poll(requests).poll()
        shutil.rmtree(root, ignore_errors=True)
    finally:
        if os.getpgrp() == guard:
            kill_group(guard)  # what an import has started, where orphans are not ours
        os._exit(0)


def _until_it_ends(host: int, requests: int) -> int:
    """Wait for the host's end, and bring it about once the doctor has gone; its exit status.

    A signal's number is negative.
    """
    wake, _ = child_signals()
    watch = _poll(requests)
    watch.register(wake, select.POLLIN)
    deadline: float | None = None
    while True:
        ended, status = os.waitpid(host, os.WNOHANG)
        if ended:
            return exit_code(status)
        if deadline is None:
            if requests in dict(watch.poll()):
                deadline = time.monotonic() + PATIENCE
            else:
                quietly(os.read, wake, 4096)
            continue
        if time.monotonic() > deadline:
            quietly(os.kill, host, signal.SIGKILL)
        time.sleep(0.005)


def exit_code(status: int) -> int:
    """The result of `os.waitpid` as an exit status; a signal's number is negative."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _poll(requests: int) -> select.poll:
    """Ready when no process can write to `requests` any more; nothing is read from it."""
    watch = select.poll()
    watch.register(requests, 0)
    return watch
