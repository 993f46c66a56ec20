"""The command `check` from options to exit status: open, examine, perhaps repair, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from trl_doctor import chat_rendering, trainer
from trl_doctor.checkup import Checkup, examine
from trl_doctor.copying import CannotCopy
from trl_doctor.directory import Refused
from trl_doctor.discover import NoSuchRule, chosen, discover
from trl_doctor.environment import BadInterpreter, Environment, environment
from trl_doctor.finding import SEVERITIES, Severity
from trl_doctor.opening import Options, open_run
from trl_doctor.rule import Rule
from trl_doctor.settings import BadSettings, Settings, settings
from trl_doctor.target import NoTarget, Target, target

CLEAN, FOUND, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""


@dataclass(frozen=True)
class Request:
    """The options of `trl-doctor check`, as they were given."""

    targets: tuple[str, ...]
    trainer: str | None
    processes: int | None
    python: str | None
    stated: tuple[str, ...]
    offline: bool
    level: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    require: tuple[str, ...]
    fail_on: str | None
    fix: bool
    unsafe_fixes: bool
    fix_to: str | None
    diff: bool
    form: str
    color: str
    verbose: bool


@dataclass(frozen=True)
class Bench:
    """What all targets of one command share."""

    rules: tuple[Rule, ...]
    environment: Environment
    options: Options
    fail_on: Severity
    require: tuple[str, ...]

    def examine(self, given: Target, moved: dict[Path, Path] | None = None) -> Checkup:
        """Examine one target, perhaps with its files found elsewhere."""
        options = replace(self.options, moved=moved or {})
        return examine(open_run(given, self.environment, options), self.environment, self.rules)


def check(request: Request, colour: bool) -> int:
    """Do what `trl-doctor check` was asked; returns the exit status."""
    chat_rendering.shared().start()
    try:
        bench, failed = _bench(request)
    except (BadSettings, BadInterpreter, NoSuchRule, click.UsageError) as error:
        click.echo(f"trl-doctor: {getattr(error, 'message', error)}", err=True)
        return USAGE
    checkups = []
    for given in request.targets:
        try:
            checkups.append(_checked(request, bench, target(given, offline=bench.options.offline)))
        except (NoTarget, Refused, CannotCopy) as problem:
            failed = True
            click.echo(f"trl-doctor: {problem}", err=True)
    status = FAILED if failed or not checkups else _status(checkups, bench)
    if checkups and not request.diff:
        click.echo(_rendered(checkups, request, colour, status), color=True)
    return status


def _bench(request: Request) -> tuple[Bench, bool]:
    kept = settings(Path.cwd())
    found = discover()
    for problem in found.problems:
        click.echo(f"trl-doctor: {problem}", err=True)
    select = _split(request.select) or kept.select
    ignore = _split(request.ignore) or kept.ignore
    require = _split(request.require) or kept.require
    chosen(found.rules, require)
    fail_on = request.fail_on or kept.fail_on
    if fail_on not in SEVERITIES:
        raise BadSettings(f"{kept.file}: fail-on is error, warning or note, not {fail_on!r}")
    bench = Bench(
        rules=chosen(found.rules, select, ignore),
        environment=environment(
            Path(python) if (python := request.python or kept.python) else None,
            request.stated or kept.stated,
        ),
        options=_options(request, kept),
        fail_on=fail_on,
        require=require,
    )
    return bench, bool(found.problems)


def _options(request: Request, kept: Settings) -> Options:
    name = request.trainer or kept.trainer
    known = trainer.named(name) if name else None
    if name and not known:
        raise click.UsageError(f"{name} is no trainer of TRL: {', '.join(trainer.TRAINERS)}")
    processes = request.processes or kept.processes or None
    return Options(known, processes, request.offline or kept.offline)


def _split(patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.strip() for pattern in patterns for one in pattern.split(",") if one.strip())


def _checked(request: Request, bench: Bench, given: Target) -> Checkup:
    if not (request.diff or request.fix or request.fix_to):
        return bench.examine(given)
    from trl_doctor import repairing

    for line in [] if request.diff else repairing.recovered(given):
        click.echo(f"trl-doctor: {line}", err=True)
    checkup = bench.examine(given)
    if request.diff:
        click.echo(repairing.diff(bench, checkup, unsafe=request.unsafe_fixes), nl=False)
        return checkup
    if request.fix_to:
        checkup = repairing.copied(bench, checkup, Path(request.fix_to))
    if request.fix or request.fix_to:
        checkup, lines = repairing.repaired(bench, checkup, unsafe=request.unsafe_fixes)
        for line in lines:
            click.echo(line, err=True)
    return checkup


def _status(checkups: Sequence[Checkup], bench: Bench) -> int:
    required = {rule.name for rule in chosen(bench.rules, bench.require)} if bench.require else ()
    for checkup in checkups:
        for outcome in checkup.outcomes:
            missed = outcome.rule.name in required and outcome.state == "skipped"
            if missed or outcome.state == "crashed":
                return FAILED
        if not checkup.outcomes_in("clear", "found"):
            return FAILED
    return FOUND if any(checkup.at_least(bench.fail_on) for checkup in checkups) else CLEAN


def _rendered(
    checkups: Sequence[Checkup], request: Request, colour: bool, status: int
) -> str:
    if request.form == "text":
        from trl_doctor.reports import text

        return text.render(checkups, text.Style(colour, request.verbose))
    from trl_doctor.reports import json_v1

    return json_v1.render(checkups, status)


def undo(path: Path, *, force: bool) -> int:
    """Do what `trl-doctor undo` was asked; returns the exit status."""
    from trl_doctor.reports.text import shown
    from trl_doctor.undo import undo as take_back

    folder = path if path.is_dir() else path.parent
    try:
        receipt = take_back(folder.absolute(), force=force)
    except Refused as reason:
        click.echo(f"trl-doctor: {reason}", err=True)
        return FAILED
    for file in receipt.files:
        click.echo(f"restored {shown(file)}")
    return CLEAN

