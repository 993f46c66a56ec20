"""The command `fit`: memory of each GPU by part and phase, time, and what would make it fit."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from msgspec import Struct, to_builtins

from trl_doctor.asking.oracle import RecordingOracle
from trl_doctor.checkup.discover import chosen, discover
from trl_doctor.checkup.opening import open_run
from trl_doctor.checkup.request import Request as CheckRequest
from trl_doctor.checkup.request import filled, request_of
from trl_doctor.checkup.session import Session, session
from trl_doctor.checkup.stated_gpus import gpu_options, stated_gpus
from trl_doctor.commands.output import to_stderr
from trl_doctor.core import trainer
from trl_doctor.core.plain import plain
from trl_doctor.core.question import Pending
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.changes import Change, LargestBatch, changes, largest_batch
from trl_doctor.facts.forecast.duration import Duration, duration
from trl_doctor.facts.forecast.memory import Forecast, forecast
from trl_doctor.files.target import NoTarget, Target, target
from trl_doctor.machine.environment import BadInterpreter
from trl_doctor.machine.settings import BadSettings, settings

FITS, TOO_LARGE, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""

NO_GPU = "on which GPU? Use --gpu 8xH100-80GB, or --gpu-memory 24GiB"

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
        request_ = filled(_request(request), saved)
        _refuse_invalid(request)
        gpus = gpu_options(request_)
        pointed = target(request.target, offline=request_.offline)
        if pointed.kind != "launch" and stated_gpus(gpus, pointed) is None:
            raise click.UsageError(NO_GPU)
        shared = session(request_, chosen(discover().rules, [RULE]))
    except (BadSettings, BadInterpreter, click.UsageError) as error:
        return _print_problem(str(getattr(error, "message", error)), USAGE)
    except (NoTarget, Unavailable) as error:
        return _print_problem(str(error), FAILED)
    with shared.probes:
        try:
            parts = shared.parts(pointed)
        except NoTarget as reason:
            return _print_problem(str(reason), FAILED)
        return max(_print_forecast(request, shared, part) for part in parts)


def _print_forecast(request: Request, shared: Session, part: Target) -> int:
    """Print the forecast of one run; returns its status."""
    world, _ = shared.world(part)
    try:
        run = open_run(part, world, shared.options)
        if run.hardware is None:
            raise click.UsageError(NO_GPU)
        report = _report(Facts(run, world, RecordingOracle(shared.probes)), request)
    except click.UsageError as error:
        return _print_problem(error.message, USAGE)
    except Unavailable as reason:
        return _print_problem(f"{request.target}: no forecast: {reason}", FAILED)
    click.echo(_rendered(request, report))
    if request.fix and not report.memory.fits:
        return _repaired(shared, part)
    return FITS if report.memory.fits else TOO_LARGE


def _repaired(shared: Session, part: Target) -> int:
    """Write the first change that fits into the run file, as `check --fix` does.

    Nothing is traced again: the probes keep their answers.
    """
    from trl_doctor.repair import apply
    from trl_doctor.repair.writing.directory import WriteRefused

    try:
        lines = apply.recovered(shared, part)
        checkup, repairs, refused = apply.repaired(shared, shared.examine(part), unsafe=True)
    except WriteRefused as reason:
        return _print_problem(str(reason), FAILED)
    for line in (*lines, *repairs, *filter(None, (refused,))):
        to_stderr(f"trl-doctor: {line}")
    return FAILED if refused else TOO_LARGE if checkup.at_least("warning") else FITS


def _print_problem(problem: str, status: int) -> int:
    to_stderr(f"trl-doctor: {plain(problem)}")
    return status


def _refuse_invalid(request: Request) -> None:
    """Raise `click.UsageError` for options that are wrong, or do not go together."""
    if request.trainer and not trainer.named(request.trainer):
        raise click.UsageError(trainer.no_trainer_named(request.trainer))
    if request.fix and not request.unsafe_fixes:
        raise click.UsageError("--fix needs --unsafe-fixes: it changes what the run does")
    if request.unsafe_fixes and not request.fix:
        raise click.UsageError("--unsafe-fixes needs --fix")
    if request.fix and request.form == "json":
        raise click.UsageError("--fix cannot be combined with --format json")


def _request(request: Request) -> CheckRequest:
    """The request of `check` that shares these options."""
    names = {*Request.__struct_fields__} & {*CheckRequest.__struct_fields__}
    own = {"targets": (request.target,), "select": (RULE,), "allow_incomplete": True}
    repairs = {"fix": False, "unsafe_fixes": False}
    return request_of({**{name: getattr(request, name) for name in names}, **own, **repairs})


def _report(facts: Facts, request: Request) -> FitReport:
    """All answers. Raises `Unavailable` if there is no forecast."""
    memory = _awaited(facts, lambda: facts[forecast])
    time: Duration | str
    try:
        time = _awaited(facts, lambda: duration(facts, memory))
    except Unavailable as reason:
        time = str(reason)
    fixes = None if memory.fits else _awaited(facts, lambda: facts[changes])
    largest = _awaited(facts, lambda: largest_batch(facts)) if request.search else None
    return FitReport(memory, time, fixes, largest)


def _awaited(facts: Facts, compute: Callable[[], T]) -> T:
    """The value of a fact, once its probes have answered."""
    while True:
        try:
            return compute()
        except Pending:
            facts.probes.finish()


def _rendered(request: Request, report: FitReport) -> str:
    if request.form == "json":
        return json.dumps(_as_json(report), indent=2, ensure_ascii=False)
    from trl_doctor.reports import fit_text
    from trl_doctor.reports.style import WIDTH, terminal_width

    width = terminal_width() if sys.stdout.isatty() else WIDTH
    return fit_text.render(
        request.target, report.memory, report.time, report.changes, report.largest, width
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
        "by_formula": memory.answer.by_formula,
        "shortened": memory.answer.shortened,
        "time": report.time if isinstance(report.time, str) else to_builtins(report.time),
        "changes": report.changes and [to_builtins(item) for item in report.changes],
        "largest_batch": report.largest and to_builtins(report.largest),
        "compared_with_a_gpu": False,
    }
