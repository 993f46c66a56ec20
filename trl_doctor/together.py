"""Jobs that run side by side, and are not waited for beyond a moment."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from trl_doctor.facts import Unavailable

T = TypeVar("T")

WORKERS = 8


def together(jobs: Sequence[Callable[[], T]], until: float, late: Unavailable) -> list[T]:
    """What the jobs give, run side by side; the first error is raised and the rest given up.

    No job holds this up longer than `until`: then `late` is raised. So the jobs must not mind
    being abandoned in the middle.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, T | None, BaseException | None]] = queue.SimpleQueue()
    given_up = threading.Event()
    for number in range(len(jobs)):
        todo.put(number)

    def work() -> None:
        while not given_up.is_set():
            try:
                number = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((number, jobs[number](), None))
            except BaseException as error:
                done.put((number, None, error))

    for _ in range(min(WORKERS, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    results: dict[int, Any] = {}
    try:
        while len(results) < len(jobs):
            number, value, error = done.get(timeout=max(0.0, until - time.monotonic()))
            if error is not None:
                raise error
            results[number] = value
    except queue.Empty:
        raise late from None
    finally:
        given_up.set()
    return [results[number] for number in range(len(jobs))]
