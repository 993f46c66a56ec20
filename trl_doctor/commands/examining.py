"""Examines the targets of a command one by one, or several at once in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.checkup.checkup import Checkup, failure
from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.next_step import next_step
from trl_doctor.checkup.report import TargetReport
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session
from trl_doctor.checkup.stages import Stage, together
from trl_doctor.checkup.verdict import Verdict, verdict
from trl_doctor.core.plain import plain
from trl_doctor.files.target import NoTarget, NotRead, Target, target

FAILURE = "the doctor itself failed"
SHOWN = 3
"""Names of required checks that a line gives."""


class Examined(Struct, frozen=True):
    """The result for a target: its report, errors of the doctor itself, messages of a repair.

    `diff` are the bytes of `--diff`.
    """

    report: TargetReport
    problems: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    diff: bytes = b""


def examined(request: Request, session: Session, stated: str) -> list[Examined]:
    """Examine one target; a script once for each trainer that it creates, in one report."""
    try:
        parts = session.parts(target(stated, offline=session.options.offline))
    except NotRead as reason:
        return [Examined(_unopened(stated, str(reason)))]
    except NoTarget as reason:
        return [Examined(_unopened(stated, str(reason)), (str(reason),))]
    except Exception as error:  # the others are examined all the same
        return [lost(stated, f"{FAILURE}: {failure(error)}")]
    results = [(part, _examined_part(request, session, part)) for part in parts]
    return [_together(scripts) for scripts in _by_script(results)]


Results = list[tuple[Target, Examined]]


def _by_script(results: Results) -> Iterator[Results]:
    """The results one by one, and those of the trainers of one script together."""
    script: Results = []
    for part, result in results:
        if script and not (part.stage and part.number == script[-1][0].number + 1):
            yield script
            script = []
        script.append((part, result))
    if script:
        yield script


def _together(results: Results) -> Examined:
    """One result for the trainers of a script."""
    if len(results) == 1:
        return results[0][1]
    every = [result for _, result in results]
    return Examined(
        together([Stage(part.stage, result.report) for part, result in results]),
        tuple(dict.fromkeys(problem for result in every for problem in result.problems)),
        tuple(dict.fromkeys(line for result in every for line in result.lines)),
        b"".join(dict.fromkeys(result.diff for result in every)),
    )


def _examined_part(request: Request, session: Session, pointed: Target) -> Examined:
    """Examine one target; its errors do not stop the others."""
    target = pointed.given
    try:
        checkup, messages, problems, diff = _checked(request, session, pointed)
        judgement = verdict(checkup, session.fail_on)
        more = next_step(checkup.run, checkup.environment, judgement)
        report = gathered(checkup, judgement, next_step=more)
        problems += tuple(_missed(report, session.required))
        return Examined(report, problems, messages, diff)
    except NoTarget as reason:
        return Examined(_unopened(target, str(reason)), (str(reason),))
    except Exception as error:  # the others are examined all the same
        return lost(target, f"{FAILURE}: {failure(error)}")


def lost(target: str, problem: str) -> Examined:
    """The report for a target that could not be examined because of an error of the doctor."""
    return Examined(_unopened(target, problem), (f"{target}: {problem}",))


def _unopened(target: str, reason: str) -> TargetReport:
    return TargetReport(target, "", Verdict("incomplete", (reason.removeprefix(f"{target}: "),)))


def _checked(
    request: Request, session: Session, pointed: Target
) -> tuple[Checkup, tuple[str, ...], tuple[str, ...], bytes]:
    """The checkup (of the repaired target, after a repair), what was done, what was refused, the
    diff."""
    if not (request.diff or request.fix or request.fix_to):
        return session.examine(pointed), (), (), b""
    from trl_doctor.repair.writing.directory import WriteRefused

    try:
        return _repaired(request, session, pointed)
    except WriteRefused as reason:
        raise NoTarget(str(reason)) from reason


def _repaired(
    request: Request, session: Session, pointed: Target
) -> tuple[Checkup, tuple[str, ...], tuple[str, ...], bytes]:
    """What `_checked` returns, after a repair."""
    from trl_doctor.repair import apply as repairing
    from trl_doctor.repair.copying import CannotCopy

    messages = (
        []
        if request.diff
        else [f"trl-doctor: {line}" for line in repairing.recovered(session, pointed)]
    )
    checkup = session.examine(pointed)
    if request.diff:
        diff, held = repairing.diff(session, checkup, unsafe=request.unsafe_fixes)
        return checkup, tuple(held), (), diff
    if request.fix_to:
        try:
            checkup, objections = repairing.copied(session, checkup, Path(request.fix_to))
        except CannotCopy as problem:
            return checkup, tuple(messages), (str(problem),), b""
        messages += [f"trl-doctor: {plain(line)}" for line in objections]
    checkup, lines, refused = repairing.repaired(session, checkup, unsafe=request.unsafe_fixes)
    return checkup, (*messages, *lines), (refused,) if refused else (), b""


def _missed(report: TargetReport, required: Sequence[str]) -> Iterator[str]:
    """The required checks that did not run, a sentence for each reason."""
    checks = {check.rule: check for check in report.checks}
    reasons: dict[str, list[str]] = {}
    for name in required:
        check = checks.get(name)
        if check is None:
            reasons.setdefault("was not selected", []).append(name)
        elif check.state == "skipped":
            reasons.setdefault(f"did not run: {check.reason}", []).append(name)
    for reason, names in reasons.items():
        yield f"{report.given}: {required_checks(names)} {reason}"


def required_checks(names: Sequence[str]) -> str:
    """`step-dies is required and`, of many `33 required checks (step-dies, …)`."""
    if len(names) == 1:
        return f"{names[0]} is required and"
    more = ", …" if len(names) > SHOWN else ""
    return f"{len(names)} required checks ({', '.join(names[:SHOWN])}{more})"
