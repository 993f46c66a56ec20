"""The command `check` from options to exit status: open, examine, perhaps repair, report."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import click

from trl_doctor.checkup import ignoring
from trl_doctor.checkup.discover import NoSuchRule, discover
from trl_doctor.checkup.places import repository
from trl_doctor.checkup.report import Report, TargetReport
from trl_doctor.checkup.request import Request, filled
from trl_doctor.checkup.session import Session, session
from trl_doctor.commands import report_files
from trl_doctor.commands.examining import FAILURE, Examined
from trl_doctor.commands.left_out import without_parts
from trl_doctor.commands.many import examined_all, expanded
from trl_doctor.commands.output import to_stderr
from trl_doctor.commands.report_files import Output
from trl_doctor.core.plain import plain, shown
from trl_doctor.core.secrets import of_environment, without
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.environment import BadInterpreter
from trl_doctor.machine.settings import BadSettings, settings
from trl_doctor.reports.style import Style

CLEAN, FOUND, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""


def check(request: Request, colour: bool) -> int:
    """Run `trl-doctor check`; returns the exit status."""
    try:
        discovery = discover()
        _collect_garbage()
        request = filled(request, settings(Path.cwd(), python_given=bool(request.python)))
        shared = session(request, discovery.rules)
        outputs = report_files.outputs(request.output)
    except (BadSettings, BadInterpreter, NoSuchRule, Unavailable, click.UsageError) as error:
        message = str(getattr(error, "message", error))
        _print_problem(message)
        refused(request.output, message)
        return USAGE
    style = report_files.style(
        colour=colour,
        verbose=request.verbose,
        quiet=request.quiet,
        statistics=request.statistics,
    )
    problems = list(discovery.problems)
    for problem in problems:
        _print_problem(problem)
    with shared.probes:
        return _check(request, shared, problems, outputs, style)


def _collect_garbage() -> None:
    """Switch the collector on; modules, which are no garbage, are set aside."""
    _set_modules_aside()
    gc.enable()


@cache
def _set_modules_aside() -> None:
    """Once a process: to count what is set aside already takes as long as to look through it."""
    gc.freeze()


def _check(
    request: Request,
    session: Session,
    problems: list[str],
    outputs: Sequence[Output],
    style: Style,
) -> int:
    matches, unmatched = expanded(request.targets)
    targets, left_out = without_parts(matches)
    for sentence in left_out:
        _print_problem(sentence)
    for problem in unmatched:
        problems.append(problem)
        _print_problem(problem)
    reports, diffs = [], list[bytes]()
    for examined in examined_all(request, session, targets):
        _print_remarks(examined, outputs)
        problems += examined.problems
        reports.append(examined.report)
        diffs.append(examined.diff)
    if request.baseline and request.update_baseline:
        problems += _baseline(Path(request.baseline), reports)
    shown_instead = b"".join(diffs) if request.diff else None
    return reported(
        session, reports, problems, request.allow_incomplete, outputs, style, shown_instead
    )


def reported(
    session: Session,
    reports: list[TargetReport],
    problems: list[str],
    allow_incomplete: bool,
    outputs: Sequence[Output],
    style: Style,
    instead: bytes | None = None,
) -> int:
    """Write and print the requested reports, or the text `instead`; returns the exit status."""
    report = _report(session, reports, problems, allow_incomplete)
    unwritten = dict(report_files.written(report, outputs, style))
    for problem in unwritten.values():
        _print_problem(problem)
    if unwritten:
        every_problem = [*problems, *unwritten.values()]
        report = _report(session, reports, every_problem, allow_incomplete)
    if instead is not None:
        click.echo(instead, nl=False)
    elif text := report_files.printed(report, outputs, style):
        click.echo(text, color=True)
    elif not style.quiet:
        to_stderr(f"trl-doctor: {report_files.where(report, outputs, unwritten)}")
    return report.exit_code


def _baseline(file: Path, reports: list[TargetReport]) -> Iterator[str]:
    """Write the baseline; returns a sentence if it cannot be written."""
    from trl_doctor.checkup import baseline
    from trl_doctor.core.whole import write_whole

    try:
        write_whole(file, baseline.text(reports).encode())
    except OSError as error:
        problem = f"the baseline cannot be written to {file}: {error.strerror}"
        _print_problem(problem)
        yield problem


def _print_remarks(examined: Examined, outputs: Sequence[Output]) -> None:
    said = set[str]()
    if Output("text") in outputs:  # the report gives these reasons
        target = examined.report
        said = {f"{target.given}: {reason}" for reason in target.verdict.lacking}
    for problem in examined.problems:
        if problem not in said or FAILURE in problem:
            _print_problem(problem)
    for line in examined.lines:
        to_stderr(line)


def _print_problem(problem: str) -> None:
    to_stderr(f"trl-doctor: {plain(problem)}")


def _report(
    session: Session, targets: list[TargetReport], problems: list[str], allow_incomplete: bool
) -> Report:
    folder = Path.cwd()
    root = repository(folder)
    below = folder.relative_to(root).as_posix()
    status = _status(targets, problems, allow_incomplete)
    secrets = of_environment(os.environ)
    safe_targets, safe_problems = without((tuple(targets), tuple(problems)), secrets)
    by_name = {rule.name: rule for rule in (*session.rules, *ignoring.OWN)}
    entries = any(target.entries for target in targets)
    pages = session.documentation or (_documentation() if entries else "")
    return Report(
        safe_targets,
        status,
        safe_problems,
        str(root),
        "" if below == "." else below,
        by_name,
        pages,
    )


def _documentation() -> str:
    """The address of the documentation by the environment, or the metadata of this package."""
    if (address := os.environ.get("TRL_DOCTOR_DOCUMENTATION", "")).startswith(
        ("https://", "http://")
    ):
        return address
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("trl-doctor").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    return next(
        (address[15:] for address in addresses if address.startswith("Documentation, ")), ""
    )


def _status(targets: list[TargetReport], problems: list[str], allow_incomplete: bool) -> int:
    words = {target.verdict.word for target in targets}
    if problems or not targets or any(target.verdict.crashed for target in targets):
        return FAILED
    if "failed" in words:
        return FOUND
    return FAILED if "incomplete" in words and not allow_incomplete else CLEAN


def refused(formats: Sequence[str], message: str) -> None:
    """Print a usage error as JSON for a program that asked for JSON on standard output."""
    if any(form in ("json", "json-v1") for form in formats):
        from trl_doctor.reports import json_v1

        root = str(repository(Path.cwd()))
        click.echo(json_v1.render(Report((), USAGE, (message,), root)))


def undo(path: Path, *, force: bool) -> int:
    """Run `trl-doctor undo`; returns the exit status."""
    from trl_doctor.repair.writing.directory import WriteRefused
    from trl_doctor.repair.writing.undo import undo as take_back

    path = path.absolute()
    if not os.path.lexists(path):
        _print_problem(f"{path}: there is no such file or folder")
        return FAILED
    try:
        receipt = take_back(path if os.path.isdir(path) else path.parent, force=force)  # noqa: PTH112
    except WriteRefused as reason:
        _print_problem(str(reason))
        return FAILED
    for file in receipt.files:
        click.echo(f"restored {plain(shown(file))}")
    return CLEAN
