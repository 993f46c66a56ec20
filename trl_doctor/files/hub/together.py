"""Jobs that run side by side, and are not waited for beyond a moment."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from trl_doctor.core.unavailable import Unavailable

T = TypeVar("T")

WORKERS = 8

GRACE = 0.5
"""Seconds for jobs that were given up to notice it."""


def together(
    jobs: Sequence[Callable[[], T]], until: float, late: Unavailable, halted: threading.Event
) -> list[T]:
    """What the jobs give; the first error is raised and the rest given up: `halted` is set.

    No job holds this up longer than `until` (`time.monotonic`): then `late` is raised. So jobs
    must look at `halted` now and then, and must not mind being abandoned in the middle.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()
    for number in range(len(jobs)):
        todo.put(number)

    def work() -> None:
        while not halted.is_set():
            try:
                number = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((number, jobs[number](), None))
            except BaseException as error:
                done.put((number, None, error))

    threads = [threading.Thread(target=work, daemon=True) for _ in jobs[:WORKERS]]
    for thread in threads:
        thread.start()
    try:
        results = _gathered(done, len(jobs), until)
    except BaseException as error:
        halted.set()
        _join(threads)
        raise late if isinstance(error, queue.Empty) else error from None
    _join(threads)
    return results


def _gathered(done: queue.SimpleQueue[Any], count: int, until: float) -> list[Any]:
    results: dict[int, Any] = {}
    while len(results) < count:
        number, value, error = done.get(timeout=max(0.0, until - time.monotonic()))
        if error is not None:
            raise error
        results[number] = value
    return [results[number] for number in range(count)]


def _join(threads: Sequence[threading.Thread]) -> None:
    """Threads that run while the interpreter ends can crash it; one that sleeps does not."""
    until = time.monotonic() + GRACE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
