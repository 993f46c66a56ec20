"""Many targets, each a task of the cluster (`--executor ray`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from trl_doctor.checkup.request import Request
from trl_doctor.commands.cluster import tasks
from trl_doctor.commands.examining import Examined, lost


def examined_by_ray(request: Request, targets: Sequence[str]) -> Iterator[Examined]:
    """What became of each target, in the order given."""
    try:
        ray = tasks.connected()
    except tasks.NoCluster as reason:
        yield from (lost(stated_target, str(reason)) for stated_target in targets)
        return
    begun = [
        tasks.begun(ray, examined_there, (request, target, str(Path.cwd()))) for target in targets
    ]
    for stated_target, (copy, why) in zip(
        targets, tasks.ended(ray, begun, limit(request, len(targets))), strict=True
    ):
        yield from [lost(stated_target, why)] if why else copy


def limit(request: Request, number: int = 1) -> float:
    """The seconds to wait for so many tasks."""
    each = 4 * request.timeout if request.timeout else tasks.LIMIT
    return each * max(1, number // 8)


def examined_there(request: Request, target: str, folder: str) -> list[Examined]:
    """In a worker of the cluster: examine one target, from the folder of the command."""
    from trl_doctor.commands import worker

    os.chdir(folder)
    return worker.examined_there(request, target)
