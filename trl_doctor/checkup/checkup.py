"""Examines a run: every rule runs once and gives an outcome."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking.oracle import NoOracle, Oracle, RecordingOracle
from trl_doctor.checkup.causes import ReportedFinding, reported
from trl_doctor.checkup.outcome import UNREACHED, Outcome, State
from trl_doctor.core.finding import SEVERITIES, Copy, Finding, Fix, Severity
from trl_doctor.core.plain import shown
from trl_doctor.core.question import Answer, Pending
from trl_doctor.core.trainer import TRAINERS, TrainerOpen
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Rule
from trl_doctor.facts.run import Run
from trl_doctor.files.document import Document, Unreadable
from trl_doctor.machine.environment import Environment

REFUSALS = frozenset(
    {errno.EIO, errno.EACCES, errno.EPERM, errno.ESTALE, errno.ENOSPC, errno.EMFILE, errno.ENFILE}
)
"""Errors that are no fault of a file; any other that a rule does not expect is its own."""

ABOUT_OTHERS = ("file-", "library-", "package-")
"""How the names of the rules begin that can be clear although the run's file cannot be read."""

NOBODY = NoOracle("the real libraries were not used")


class Checkup(Struct, frozen=True, dict=True):
    """One examined run, with its facts and the answers of the probes."""

    run: Run
    environment: Environment
    facts: Facts
    outcomes: tuple[Outcome, ...]
    answers: tuple[Answer[Any], ...] = ()

    @property
    def unread(self) -> Unreadable | None:
        """Why the run's file cannot be read; None if it can, or if a launch file starts it."""
        return _unread(self.run)

    @property
    def findings(self) -> list[tuple[Outcome, Finding]]:
        """All findings with their outcomes, worst first."""
        return [(entry.outcome, entry.finding) for entry in self.reported]

    @cached_property
    def reported(self) -> list[ReportedFinding]:
        """All findings with their causes and consequences, worst first."""
        return sorted(
            reported(self.outcomes), key=lambda finding: SEVERITIES.index(finding.severity)
        )

    def at_least(self, severity: Severity) -> int:
        """The number of findings of this severity or worse."""
        worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return sum(outcome.severity(finding) in worst for outcome, finding in self.findings)

    def outcomes_in(self, *states: State) -> list[Outcome]:
        """The outcomes in one of these states."""
        return [outcome for outcome in self.outcomes if outcome.state in states]


def examine(
    run: Run,
    environment: Environment,
    rules: Iterable[Rule],
    probes: Oracle = NOBODY,
) -> Checkup:
    """Run every rule. A rule that fails does not stop the others.

    A rule that needs a probe waits until all others have been asked, then starts anew: so the
    probes of all rules run side by side, and while they run the files are read.
    """
    recorder = RecordingOracle(probes)
    facts = Facts(run, environment, recorder)
    outcomes: dict[int, Outcome] = {}
    waiting = list(enumerate(rules))
    while waiting:
        round_, waiting = waiting, []
        for number, rule in round_:
            try:
                outcomes[number] = _ask(rule, facts)
            except Pending:
                waiting.append((number, rule))
        recorder.finish()
    in_order = tuple(outcomes[number] for number in sorted(outcomes))
    if isinstance(run.trainer, TrainerOpen):
        in_order = _whichever_trainer(in_order, run, environment, run.trainer)
    if reason := _unread(run):
        in_order = tuple(_without_file(outcome, str(reason)) for outcome in in_order)
    answers = tuple(recorder.answers.values())
    return Checkup(run, environment, facts.asking(recorder.settled()), in_order, answers)


def foresee(run: Run, environment: Environment, rules: Iterable[Rule], probes: Oracle) -> None:
    """Ask what the rules will ask of the probes first, and wait for nothing.

    Done for several runs before any is examined, their probes run side by side.
    """
    facts = Facts(run, environment, probes)
    for rule in rules:
        with suppress(Pending):
            _ask(rule, facts)


def _unread(run: Run) -> Unreadable | None:
    """Why a run's own file cannot be read: what a launch file says is known all the same."""
    return run.file if isinstance(run.file, Unreadable) and run.target.launch is None else None


def _without_file(outcome: Outcome, reason: str) -> Outcome:
    """What becomes of a rule where the run's file cannot be read: nothing of the run is clear."""
    if outcome.state not in ("clear", "skipped") or outcome.rule.name.startswith(ABOUT_OTHERS):
        return outcome
    return replace(outcome, state="skipped", reason=reason)


def _whichever_trainer(
    outcomes: tuple[Outcome, ...], run: Run, environment: Environment, which: TrainerOpen
) -> tuple[Outcome, ...]:
    """Rules that need the trainer report what holds for each trainer that is possible."""
    waiting = [item for item in outcomes if item.state == "skipped" and item.reason == str(which)]
    results: list[dict[str, Outcome]] = []
    candidates = [item for item in which.candidates if waiting and _is_there(environment, item)]
    for name in candidates:
        facts = Facts(replace(run, trainer=TRAINERS[name]), environment, NOBODY)
        results.append({item.rule.name: _ask(item.rule, facts) for item in waiting})
    agreed = {
        item.rule.name: _agreed([result[item.rule.name] for result in results], candidates)
        for item in waiting
    }
    return tuple(agreed.get(item.rule.name) or item for item in outcomes)


def _agreed(outcomes: list[Outcome], trainers: list[str]) -> Outcome | None:
    """The outcome of a rule if it is the same for every possible trainer; else None."""
    states = {item.state for item in outcomes}
    if states <= {"clear", "not concerned"} and "clear" in states:
        return next(item for item in outcomes if item.state == "clear")
    if states != {"found"}:
        return None
    common = set.intersection(*({item.place for item in outcome.findings} for outcome in outcomes))
    also = f"the trainer is not known; the same holds for {', '.join(trainers[1:])}"
    findings = tuple(
        replace(item, evidence=(*item.evidence, also) if trainers[1:] else item.evidence)
        for item in outcomes[0].findings
        if item.place in common
    )
    return replace(outcomes[0], findings=findings) if findings else None


def _is_there(environment: Environment, name: str) -> bool:
    """Whether the target's trl has a trainer: no run can mean one that it lacks."""
    from trl_doctor.facts.library import accepted

    return not accepted(environment, TRAINERS[name]).absent


def failure(error: BaseException) -> str:
    """An error of the program itself: its type, its message, its file and line."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__}: {error!s:.500} ({place})"


def _with_possible_fix(run: Run, finding: Finding) -> Finding:
    """The finding; if its fix cannot edit the run's file, with the change as a remedy instead."""
    fix, file = finding.fix, run.file
    if fix is None or isinstance(file, Unavailable) or file is None:
        return finding
    if reason := _refusal(run, file, fix):
        remedy = finding.remedy or f"{fix.message}; --fix cannot change this line: {reason}"
        return replace(finding, fix=None, remedy=remedy)
    return finding


def _refusal(run: Run, file: Document, fix: Fix) -> str:
    """Why a fix cannot edit the run's file, or the line that starts it; "" if it can."""
    edits = [edit for edit in fix.edits if not isinstance(edit, Copy)]
    launch, launcher = run.target.launch, run.target.launched_by
    if launch is not None and launcher and any(edit.file == launcher for edit in edits):
        from trl_doctor.files.launch import renaming
        from trl_doctor.files.launch.document import RunFileOfLine

        if isinstance(file, RunFileOfLine) and (reason := file.refuses_inside(edits)):
            return reason
        if renaming.of_line(file, launcher, edits):
            return renaming.refusal(edits[0].file, launch, edits)
    return file.refuses([edit for edit in edits if file.holds(edit.file)])


def _ask(rule: Rule, facts: Facts) -> Outcome:
    findings: list[Finding] = []
    state: State = "clear"
    reason = ""
    try:
        for finding in rule.check(facts):
            if not isinstance(finding, Finding):
                raise TypeError(f"the rule gives {type(finding).__name__}, not Finding")
            findings.append(_with_possible_fix(facts.run, finding))
    except NotConcerned as why:
        state, reason = "not concerned", str(why)
    except Unavailable as why:
        state, reason = "skipped", str(why)
    except Pending:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, OSError) and error.errno in REFUSALS:
            where = shown(Path(os.fsdecode(error.filename))) if error.filename else "a file"
            reason = f"{UNREACHED}{where}: {error.strerror}"
            return Outcome(rule, "found" if findings else "skipped", tuple(findings), reason)
        return Outcome(rule, "crashed", tuple(findings), failure(error))
    return Outcome(rule, "found" if findings else state, tuple(findings), reason)
