"""The command `rehearse` from options to exit status."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.asking import rendering as chat_rendering
from trl_doctor.checkup.discover import NoSuchRule, discover
from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.ignoring import quieted
from trl_doctor.checkup.report import TargetReport
from trl_doctor.checkup.request import request_of
from trl_doctor.checkup.session import Session, session
from trl_doctor.checkup.stages import Stage, lacking, together
from trl_doctor.checkup.verdict import Verdict, verdict
from trl_doctor.commands import own_options, report_files, watching
from trl_doctor.commands.check import USAGE, reported
from trl_doctor.commands.examining import required_checks
from trl_doctor.commands.output import to_stderr
from trl_doctor.core.plain import plain
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.environment import BadInterpreter
from trl_doctor.machine.settings import BadSettings
from trl_doctor.rehearsing.by_trainer import caught, label
from trl_doctor.rehearsing.command.command import NoCommand, command
from trl_doctor.rehearsing.rehearse import Part, Rehearsal, rehearse
from trl_doctor.rehearsing.scale import Scale


class Wanted(Struct, frozen=True):
    """The options of `trl-doctor rehearse` that `check` does not have."""

    command: tuple[str, ...]
    columns: str | None
    stand_ins: tuple[str, ...]
    watch: bool = False


def run(wanted: Wanted, colour: bool, **options: Any) -> int:
    """Run `trl-doctor rehearse`; returns the exit status."""
    chat_rendering.shared().start()
    try:
        outputs = report_files.outputs(options["output"])
        discovery = discover()
        request = request_of(options)
        shared = session(request, discovery.rules)
        scale = _scale(wanted, shared)
        first = command(wanted.command, shared.environment.python, shared.options.processes)
    except (BadSettings, BadInterpreter, NoSuchRule, Unavailable, click.UsageError) as error:
        to_stderr(f"trl-doctor: {plain(str(getattr(error, 'message', error)))}")
        own_options.warn(wanted.command)
        return USAGE
    except NoCommand as error:
        to_stderr(f"trl-doctor: {plain(str(error))}")
        return USAGE
    own_options.warn(wanted.command, started=first.text)
    style = report_files.style(
        colour=colour, verbose=request.verbose, quiet=request.quiet, statistics=request.statistics
    )
    status = USAGE
    with shared.probes:
        for turn in _turns(wanted):
            try:
                launch = command(
                    wanted.command, shared.environment.python, shared.options.processes
                )
            except NoCommand as error:  # an editor is writing the file just now
                to_stderr(f"trl-doctor: {plain(str(error))}")
                continue
            problems = list(discovery.problems)
            result = rehearse(launch, replace(scale, turn=turn), shared.probes, shared.environment,
                              shared.rules, shared.options)  # fmt: skip
            if turn is None and (failure := result.failure):
                own_options.warn(wanted.command, failure.message, launch.text)
            report = _report(result, shared, problems, Path(launch.script or "."))
            status = reported(shared, [report], problems, request.allow_incomplete, outputs, style)
    return status


def _turns(wanted: Wanted) -> Iterator[int | None]:
    """One rehearsal; with --watch another one whenever a file beside the command's own changes."""
    if not wanted.watch:
        yield None
        return
    files = [Path(word) for word in wanted.command if Path(word).is_file()]
    folders = list(dict.fromkeys(file.absolute().parent for file in files)) or [Path.cwd()]
    for turn in itertools.count():
        before = watching.states(folders)
        yield turn
        to_stderr("trl-doctor: waiting for a change (Ctrl-C ends)")
        watching.wait(folders, before)


def _scale(wanted: Wanted, shared: Session) -> Scale:
    stand_ins = {}
    for stand_in in wanted.stand_ins:
        name, sign, folder = stand_in.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--stand-in {stand_in}: write it like org/name=./folder")
        path = Path(folder).expanduser().absolute()
        if not path.exists():
            raise click.UsageError(f"--stand-in {stand_in}: there is no {folder}")
        stand_ins[name] = str(path)
    columns = tuple(
        column.strip() for column in (wanted.columns or "").split(",") if column.strip()
    )
    return Scale(shared.options.processes, columns, stand_ins)


def _report(
    rehearsal: Rehearsal, shared: Session, problems: list[str], script: Path
) -> TargetReport:
    """The report on all trainers that the command has made, without what is ignored."""
    counts = Counter[str]()
    stages = []
    for whole in rehearsal.parts:
        part = replace(whole, checkup=quieted(whole.checkup, shared.silence, script))
        judgement = _judged(part, shared)
        stages.append(Stage(label(part.events), gathered(part.checkup, judgement, counts)))
    report = together(stages)
    if rehearsal.unexamined:
        trainers = "1 more trainer was" if rehearsal.unexamined == 1 else (
            f"{rehearsal.unexamined} more trainers were")  # fmt: skip
        report = lacking(report, f"{trainers} not examined: a rehearsal examines "
                         f"{len(rehearsal.parts)} of a script")  # fmt: skip
    problems += _missed(report, shared.required)
    return report


def _judged(part: Part, shared: Session) -> Verdict:
    """The verdict on one trainer, incomplete if the command did not finish with it."""
    judgement = verdict(part.checkup, shared.fail_on)
    reason = ""
    if part.failure:
        reason = f"the rehearsal: {part.failure.message}"
    elif error := caught(part.events):
        reason = f"the training failed, and the script goes on: {error}"
    if reason and judgement.word == "passed":
        return Verdict("incomplete", (reason,), judgement.crashed)
    return judgement


def _missed(report: TargetReport, required: Sequence[str]) -> list[str]:
    ran = {check.rule for check in report.checks if check.state in ("found", "clear")}
    missed = [name for name in required if name not in ran]
    return [f"{report.given}: {required_checks(missed)} did not run"] if missed else []
