"""The command `fit`: memory of each GPU by part and phase, time, and what would make it fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from trl_doctor.asking.oracle import RecordingOracle
from trl_doctor.checkup.discover import chosen, discover
from trl_doctor.checkup.opening import open_run
from trl_doctor.checkup.request import Request as CheckRequest
from trl_doctor.checkup.request import filled, request_of
from trl_doctor.checkup.session import Session, session
from trl_doctor.checkup.stated_gpus import stated_gpus
from trl_doctor.commands.output import tell
from trl_doctor.core import trainer
from trl_doctor.core.plain import plain
from trl_doctor.core.question import Pending
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.changes import Change, LargestBatch, changes, largest_batch
from trl_doctor.facts.forecast.duration import Duration, duration
from trl_doctor.facts.forecast.memory import Forecast, forecast
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.target import NoTarget, Target, target
from trl_doctor.machine.cards import Stated, several
from trl_doctor.machine.environment import BadInterpreter
from trl_doctor.machine.settings import BadSettings, settings

FITS, TOO_LARGE, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""

RULE = "gpu-memory-exceeded"
"""The check that makes the change."""

T = TypeVar("T")


class Request(Struct, frozen=True):
    """The options of `trl-doctor fit`, as they were given."""

    target: str
    trainer: str | None
    python: str | None
    offline: bool
    trust_remote_code: bool
    timeout: float | None
    search: bool
    form: str
    gpu: str | None
    gpu_memory: str | None
    nodes: int | None
    zero: int | None
    fsdp: bool
    tensor_parallel: int | None
    fix: bool = False
    unsafe_fixes: bool = False


class FitReport(Struct, frozen=True):
    """All that the command found."""

    memory: Forecast
    time: Duration | str
    changes: tuple[Change, ...] | None
    largest: LargestBatch | None


def fit(request: Request) -> int:
    """Run `trl-doctor fit`; returns the exit status."""
    try:
        saved = settings(Path.cwd(), python_given=bool(request.python))
        asked = filled(_request(request), saved)
        _refuse_invalid(request)
        pointed = target(request.target, offline=asked.offline)
        if pointed.kind != "launch":
            _hardware(request, pointed)
        shared = session(asked, chosen(discover().rules, [RULE]))
    except (BadSettings, BadInterpreter, click.UsageError) as error:
        return _said(str(getattr(error, "message", error)), USAGE)
    except (NoTarget, Unavailable) as error:
        return _said(str(error), FAILED)
    with shared.probes:
        try:
            parts = shared.parts(pointed)
        except NoTarget as reason:
            return _said(str(reason), FAILED)
        statuses = [_one(request, shared, part) for part in parts]
    if request.fix and TOO_LARGE in statuses:
        return _repaired(asked)
    return max(statuses)


def _one(request: Request, shared: Session, part: Target) -> int:
    """Print the forecast of one run; returns its status."""
    world, _ = shared.world(part)
    try:
        hardware = _hardware(request, part)
        run = open_run(part, world, replace(shared.options, hardware=hardware))
        found = _report(Facts(run, world, RecordingOracle(shared.probes)), request)
    except click.UsageError as error:
        return _said(error.message, USAGE)
    except Unavailable as reason:
        return _said(f"{request.target}: no forecast: {reason}", FAILED)
    click.echo(_rendered(request, found))
    return FITS if found.memory.fits else TOO_LARGE


def _repaired(asked: CheckRequest) -> int:
    """Write the first change that fits into the run file, as `check --fix` does."""
    from trl_doctor.commands.check import check

    return check(replace(asked, fix=True, unsafe_fixes=True), colour=False)


def _said(problem: str, status: int) -> int:
    tell(f"trl-doctor: {plain(problem)}")
    return status


def _refuse_invalid(request: Request) -> None:
    """Raise `click.UsageError` for options that say nothing, or not together."""
    if request.trainer and not trainer.named(request.trainer):
        names = ", ".join(trainer.TRAINERS)
        raise click.UsageError(f"{request.trainer} is not a trainer of TRL: {names}")
    if request.gpu or request.gpu_memory:
        _gpus(request, request.gpu, request.nodes)
    if request.fix and not request.unsafe_fixes:
        raise click.UsageError("--fix needs --unsafe-fixes: it changes what the run does")
    if request.unsafe_fixes and not request.fix:
        raise click.UsageError("--unsafe-fixes needs --fix")
    if request.fix and request.form == "json":
        raise click.UsageError("--fix cannot be combined with --format json")


def _hardware(request: Request, part: Target) -> Stated:
    """The GPUs of the command line; what it does not say, the launch file may."""
    gpu, nodes = request.gpu, request.nodes
    cluster = part.launch.cluster if part.launch else Cluster()
    from_file = gpu is None and request.gpu_memory is None and bool(cluster.gpu)
    if from_file:
        gpu = cluster.gpu
    if gpu and cluster.gpus_per_node and several(gpu) == (1, gpu):
        gpu = f"{cluster.gpus_per_node}x{gpu}"
    found = _gpus(request, gpu, nodes or (cluster.nodes if gpu else None))
    named = part.launched_by.name if from_file and part.launched_by else ""
    return replace(found, said=named)


def _gpus(request: Request, gpu: str | None, nodes: int | None) -> Stated:
    if gpu is None and request.gpu_memory is None:
        raise click.UsageError("on which GPU? Use --gpu 8xH100-80GB, or --gpu-memory 24GiB")
    found = stated_gpus(
        gpu, request.gpu_memory, nodes, request.zero, request.fsdp, request.tensor_parallel
    )
    assert found is not None
    return found


def _request(request: Request) -> CheckRequest:
    """The request of `check` that shares these options."""
    names = {*Request.__struct_fields__} & {*CheckRequest.__struct_fields__}
    own = {"targets": (request.target,), "select": (RULE,), "allow_incomplete": True}
    repairs = {"fix": False, "unsafe_fixes": False}
    return request_of({**{name: getattr(request, name) for name in names}, **own, **repairs})


def _report(facts: Facts, request: Request) -> FitReport:
    """All answers. Raises `Unavailable` if there is no forecast."""
    memory = _asked(facts, lambda: facts[forecast])
    time: Duration | str
    try:
        time = _asked(facts, lambda: duration(facts, memory))
    except Unavailable as reason:
        time = str(reason)
    fixes = None if memory.fits else _asked(facts, lambda: facts[changes])
    largest = _asked(facts, lambda: largest_batch(facts)) if request.search else None
    return FitReport(memory, time, fixes, largest)


def _asked(facts: Facts, wanted: Callable[[], T]) -> T:
    """The value of a fact, once its probes have answered."""
    while True:
        try:
            return wanted()
        except Pending:
            facts.probes.finish()


def _rendered(request: Request, report: FitReport) -> str:
    if request.form == "json":
        return json.dumps(_as_json(report), indent=2, ensure_ascii=False)
    from trl_doctor.reports import fit_text

    return fit_text.render(
        request.target, report.memory, report.time, report.changes, report.largest
    )


def _as_json(report: FitReport) -> dict[str, object]:
    memory = report.memory
    return {
        "fits": memory.fits,
        "hardware": to_builtins(memory.hardware),
        "phases": [{**to_builtins(item), "total": item.total} for item in memory.phases],
        "peak": memory.peak.name,
        "sizes": to_builtins(memory.answer.sizes),
        "flops": memory.answer.flops,
        "engine": memory.engine and to_builtins(memory.engine),
        "by_rule": memory.by_rule,
        "time": report.time if isinstance(report.time, str) else to_builtins(report.time),
        "changes": report.changes and [to_builtins(item) for item in report.changes],
        "largest_batch": report.largest and to_builtins(report.largest),
        "compared_with_a_gpu": False,
    }
