"""The command `check` from options to exit status: open, examine, perhaps repair, report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from trl_doctor.asking import rendering as chat_rendering
from trl_doctor.checkup.checkup import Checkup, failure
from trl_doctor.checkup.discover import NoSuchRule, discover
from trl_doctor.checkup.session import Request, Session, session
from trl_doctor.commands.output import tell
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.target import NoTarget, Target, target
from trl_doctor.machine.environment import BadInterpreter
from trl_doctor.machine.settings import BadSettings
from trl_doctor.repair.copying import CannotCopy
from trl_doctor.repair.writing.directory import Refused

CLEAN, FOUND, USAGE, FAILED = 0, 1, 2, 3
"""The exit statuses."""


def check(request: Request, colour: bool) -> int:
    """Do what `trl-doctor check` was asked; returns the exit status."""
    chat_rendering.shared().start()
    problems: list[str] = []
    try:
        found = discover()
        for problem in found.problems:
            _say(problems, problem)
        made = session(request, found.rules)
    except (BadSettings, BadInterpreter, NoSuchRule, Unavailable, click.UsageError) as error:
        _say([], str(getattr(error, "message", error)))
        return USAGE
    with made.probes:
        return _check(request, made, colour, problems)


def _check(request: Request, session: Session, colour: bool, problems: list[str]) -> int:
    checkups, diffs = [], list[bytes]()
    for given in request.targets:
        try:
            pointed = target(given, offline=session.options.offline)
            checkup = _checked(request, session, pointed, problems)
            checkups.append(checkup)
            if request.diff:
                diffs.append(_diff(session, checkup, request))
        except (NoTarget, Refused) as problem:
            _say(problems, str(problem))
        except Exception as error:  # the others are examined all the same
            _say(problems, f"{given}: the doctor itself failed: {failure(error)}")
    for missed in _missed(checkups, session.required):
        _say(problems, missed)
    status = FAILED if problems or not checkups else _status(checkups, session)
    if request.diff:
        click.echo(b"".join(diffs), nl=False)
    elif checkups or request.form != "text":
        click.echo(_rendered(checkups, request, colour, status, problems), color=True)
    return status


def _say(problems: list[str], problem: str) -> None:
    from trl_doctor.core.plain import plain

    problems.append(problem)
    tell(f"trl-doctor: {plain(problem)}")


def _checked(request: Request, session: Session, given: Target, problems: list[str]) -> Checkup:
    if not (request.diff or request.fix or request.fix_to):
        return session.examine(given)
    from trl_doctor.core.plain import plain
    from trl_doctor.repair import apply as repairing

    for line in [] if request.diff else repairing.recovered(session, given):
        tell(f"trl-doctor: {line}")
    checkup = session.examine(given)
    if request.fix_to:
        try:
            checkup, held = repairing.copied(session, checkup, Path(request.fix_to))
        except CannotCopy as problem:
            _say(problems, str(problem))
            return checkup
        for line in held:
            tell(f"trl-doctor: {plain(line)}")
    if request.fix or request.fix_to:
        checkup, lines, refused = repairing.repaired(session, checkup, unsafe=request.unsafe_fixes)
        for line in lines:
            tell(line)
        if refused:
            _say(problems, refused)
    return checkup


def _diff(session: Session, checkup: Checkup, request: Request) -> bytes:
    from trl_doctor.repair import apply as repairing

    return repairing.diff(session, checkup, unsafe=request.unsafe_fixes)


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


def _status(checkups: Sequence[Checkup], session: Session) -> int:
    for checkup in checkups:
        if checkup.outcomes_in("crashed") or not checkup.outcomes_in("clear", "found"):
            return FAILED
    return FOUND if any(checkup.at_least(session.fail_on) for checkup in checkups) else CLEAN


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
    from trl_doctor.core.plain import plain, shown
    from trl_doctor.repair.writing.undo import undo as take_back

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
