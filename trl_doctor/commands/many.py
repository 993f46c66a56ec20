"""Many targets: patterns that name them, and several processes that share the work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.checkup import foresee
from trl_doctor.checkup.opening import open_run
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session
from trl_doctor.commands.examining import Examined, examined, lost
from trl_doctor.files.target import target

PATTERN = frozenset("*?[")


def expanded(stated: Sequence[str]) -> tuple[list[str], list[str]]:
    """The targets, each once, with patterns replaced by their matches.

    The second list has a sentence for each pattern without a match.
    """
    targets: list[str] = []
    unmatched: list[str] = []
    for pattern in stated:
        if not PATTERN & set(pattern) or os.path.lexists(pattern):
            targets.append(pattern)
            continue
        from glob import glob

        matches = sorted(glob(pattern, recursive=True))  # noqa: PTH207 - as the user wrote it
        targets += matches
        if not matches:
            unmatched.append(f"{pattern}: no file matches this pattern")
    return list(dict.fromkeys(targets)), unmatched


def examined_all(request: Request, shared: Session, targets: Sequence[str]) -> Iterator[Examined]:
    """The result of each target, in the order given."""
    if request.every_node:
        from trl_doctor.commands.cluster.nodes import examined_everywhere

        yield from examined_everywhere(request, targets)
        return
    if request.executor == "ray":
        from trl_doctor.commands.cluster.targets import examined_by_ray

        yield from examined_by_ray(request, targets)
        return
    jobs = min(request.jobs or 1, len(targets))
    if jobs < 2:
        if len(targets) > 1 and not isinstance(shared.probes, NoOracle):
            _foresee(shared, targets)
        for target in targets:
            yield from examined(request, shared, target)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    spawn = get_context("spawn")
    from trl_doctor.commands import worker

    with ProcessPoolExecutor(jobs, spawn, worker.start, (request,)) as workers:
        waiting = [
            (target, workers.submit(worker.examined_there, request, target)) for target in targets
        ]
        try:
            for target, answer in waiting:
                try:
                    yield from answer.result()
                except BrokenProcessPool:  # one target ended a worker, and with it all that waited
                    yield from _alone(request, spawn, target)
        except BaseException:  # interrupted: what has not begun is not waited for
            workers.shutdown(cancel_futures=True)
            raise


def _foresee(shared: Session, targets: Sequence[str]) -> None:
    """Let the probes of all targets run side by side; what fails here fails again later and is
    reported there.
    """
    for stated in targets:
        with suppress(Exception):
            for part in shared.parts(target(stated, offline=shared.options.offline)):
                world, _ = shared.world(part)
                run = open_run(part, world, shared.options)
                foresee(run, world, shared.rules, shared.probes)


def _alone(request: Request, spawn: Any, target: str) -> list[Examined]:
    """Examine a target in its own process, after a shared process has died."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    from trl_doctor.commands import worker

    with ProcessPoolExecutor(1, spawn, worker.start, (request,)) as alone:
        try:
            return alone.submit(worker.examined_there, request, target).result()
        except BrokenProcessPool:
            return [lost(target, "the process that examined it died")]
