"""The command `fit`: memory of each GPU by part and phase, time, and what would make it fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import click

from trl_doctor.asking.oracle import Oracle, RecordingOracle
from trl_doctor.checkup.levels import oracle_for
from trl_doctor.checkup.opening import Options, open_run
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
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import BadInterpreter, environment
from trl_doctor.machine.interpreter import interpreter_path
from trl_doctor.machine.settings import BadSettings, settings

FITS, TOO_LARGE, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
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


@dataclass(frozen=True)
class FitReport:
    """All that the command found."""

    memory: Forecast
    time: Duration | str
    changes: tuple[Change, ...] | None
    largest: LargestBatch | None


def fit(request: Request) -> int:
    """Run `trl-doctor fit`; returns the exit status."""
    try:
        oracle, facts = _opened(request)
    except (BadSettings, BadInterpreter, click.UsageError) as error:
        return _said(str(getattr(error, "message", error)), USAGE)
    except (NoTarget, Unavailable) as error:
        return _said(str(error), FAILED)
    with oracle:
        try:
            found = _report(facts, request)
        except Unavailable as reason:
            return _said(f"{request.target}: no forecast: {reason}", FAILED)
    click.echo(_rendered(request, found))
    return FITS if found.memory.fits else TOO_LARGE


def _said(problem: str, status: int) -> int:
    tell(f"trl-doctor: {plain(problem)}")
    return status


def _opened(request: Request) -> tuple[Oracle, Facts]:
    from trl_doctor.asking.limits import ProbeLimits

    hardware = stated_gpus(
        request.gpu, request.gpu_memory, request.nodes, request.zero, request.fsdp,
        request.tensor_parallel,
    )  # fmt: skip
    if hardware is None:
        raise click.UsageError("on which GPU? Use --gpu 8xH100-80GB, or --gpu-memory 24GiB")
    saved = settings(Path.cwd(), python_given=bool(request.python))
    name = request.trainer or saved.trainer
    stated_trainer = trainer.named(name) if name else None
    if name and not stated_trainer:
        raise click.UsageError(f"{name} is not a trainer of TRL: {', '.join(trainer.TRAINERS)}")
    python = request.python or saved.python
    world = environment(interpreter_path(python) if python else None, saved.stated)
    offline = request.offline or saved.offline
    options = Options(stated_trainer, saved.processes or None, offline, "", hardware)
    run = open_run(target(request.target, offline=offline), world, options)
    limits = ProbeLimits(seconds=request.timeout or ProbeLimits().seconds)
    oracle = oracle_for("tiny", "cpu", world, limits, trust_remote_code=request.trust_remote_code)
    return oracle, Facts(run, world, RecordingOracle(oracle))


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
        "hardware": asdict(memory.hardware),
        "phases": [{**asdict(item), "total": item.total} for item in memory.phases],
        "peak": memory.peak.name,
        "sizes": asdict(memory.answer.sizes),
        "flops": memory.answer.flops,
        "engine": memory.engine and asdict(memory.engine),
        "by_rule": memory.by_rule,
        "time": report.time if isinstance(report.time, str) else asdict(report.time),
        "changes": report.changes and [asdict(item) for item in report.changes],
        "largest_batch": report.largest and asdict(report.largest),
        "compared_with_a_gpu": False,
    }
