"""Converts a checkup to the plain data of a report, which all formats show."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from trl_doctor.checkup.causes import ReportedFinding
from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.first_row import first_row
from trl_doctor.checkup.measurement import Measurement
from trl_doctor.checkup.next_step import read_in_part
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.checkup.places import Places
from trl_doctor.checkup.report import (
    Check,
    Entry,
    FixShown,
    Level,
    ProbeRun,
    Proof,
    TargetReport,
)
from trl_doctor.checkup.stage_shown import ModelShown
from trl_doctor.checkup.subjects import subjects
from trl_doctor.checkup.unknown_releases import unknown_releases
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.core import secrets
from trl_doctor.core.finding import Copy, Edit, Fix, Json, Put
from trl_doctor.core.page import page
from trl_doctor.core.plain import shown
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.partly import Partly
from trl_doctor.machine.environment import PACKAGES


def gathered(
    checkup: Checkup,
    verdict: Verdict,
    counts: Counter[str] | None = None,
    next_step: str = "",
) -> TargetReport:
    """The report on a checkup, without anything that looks like a secret.

    `counts` are the fingerprints of reports that become one with this one; `next_step` is what
    would examine more.
    """
    arguments = checkup.run.arguments
    values = arguments.settled() if isinstance(arguments, Partly) else dict(arguments)
    secret_values = {*secrets.of_environment(os.environ), *secrets.of_run(values)}
    report: TargetReport = secrets.without(
        _gathered(checkup, verdict, Counter() if counts is None else counts, next_step),
        secret_values,
    )
    return report


def _notes(checkup: Checkup) -> tuple[str, ...]:
    """The notes on how the target was read."""
    if checkup.run.script.passed is None:
        return checkup.run.notes
    from trl_doctor.checkup.script_notes import notes

    return tuple(notes(checkup))


def _gathered(
    checkup: Checkup, verdict: Verdict, counts: Counter[str], next_step: str
) -> TargetReport:
    run, environment = checkup.run, checkup.environment
    versions = {name: str(version) for name in PACKAGES if (version := environment.version(name))}
    return TargetReport(
        given=run.target.given,
        taken_for=run.target.taken_for,
        verdict=verdict,
        trainer=None if isinstance(run.trainer, Unavailable) else run.trainer.name,
        trainer_from=str(run.trainer) if isinstance(run.trainer, Unavailable) else run.trainer_from,
        notes=(*unknown_releases(environment), *_notes(checkup)),
        python=str(environment.python),
        libraries=environment.describe(),
        versions=versions,
        models={
            role: ModelShown(
                model.name,
                None if isinstance(model.folder, Unavailable) else shown(model.folder.path),
            )
            for role, model in run.models.items()
        },
        level=_level(checkup),
        subjects=tuple(subjects(checkup)),
        checks=tuple(_checks(checkup, counts)),
        probe_runs=tuple(map(_probe_run, checkup.answers)),
        measurements=_measurements(checkup.answers),
        first_rows=tuple(filter(None, (first_row(checkup.answers),))),
        next_step=next_step,
        read_in_part=read_in_part(run),
    )


def _measurements(answers: tuple[Answer[Any], ...]) -> tuple[Measurement, ...]:
    if not answers:
        return ()
    from trl_doctor.checkup.measurements import measurements

    return tuple(measurements(answers))


def _level(checkup: Checkup) -> Level:
    try:
        conditions = checkup.facts.probes.conditions
    except Unavailable as reason:
        return Level("files", None, str(reason))
    return Level(conditions.level, conditions.device, device_why=conditions.device_why)


def _checks(checkup: Checkup, counts: Counter[str]) -> Iterator[Check]:
    places = Places(checkup.run)
    entries: dict[int, list[Entry]] = {}
    for reported in checkup.reported:
        entry = _entry(reported, places, counts)
        entries.setdefault(id(reported.outcome), []).append(entry)
    for outcome in checkup.outcomes:
        yield _check(outcome, tuple(entries.get(id(outcome), ())))


def _check(outcome: Outcome, entries: tuple[Entry, ...]) -> Check:
    return Check(
        rule=outcome.rule.name,
        state=outcome.state,
        reason=outcome.reason,
        entries=entries,
        ignored=tuple((item.finding.message, item.reason) for item in outcome.ignored),
    )


def _entry(reported: ReportedFinding, places: Places, counts: Counter[str]) -> Entry:
    finding, rule = reported.finding, reported.outcome.rule
    rule_page = page(rule.doc)
    at = places.spot(finding.place)
    return Entry(
        rule=rule.name,
        title=rule_page.title,
        severity=reported.severity,
        message=finding.message,
        at=at,
        anchor=places.anchor(finding.place, at),
        evidence=finding.evidence,
        why=rule_page.why,
        remedy=finding.remedy or rule_page.remedy,
        own_remedy=bool(finding.remedy),
        fix=_fix(finding.fix, places) if finding.fix else None,
        cause=reported.cause.outcome.rule.name if reported.cause else None,
        proofs=tuple(
            Proof(proof.outcome.rule.name, proof.finding.message, proof.finding.evidence)
            for proof in reported.all_proofs()
        ),
        fingerprint=places.fingerprint(rule.name, finding.place, counts),
    )


def _fix(fix: Fix, places: Places) -> FixShown:
    from trl_doctor.checkup.line_changes import changes

    edits = tuple(map(_edit, fix.edits))
    return FixShown(fix.message, fix.safe, edits, changes(fix.edits, places))


def _edit(edit: Edit) -> dict[str, Json]:
    if isinstance(edit, Copy):
        return {"file": shown(edit.file), "copy_of": shown(edit.source)}
    value: dict[str, Json] = {"value": edit.value} if isinstance(edit, Put) else {"remove": True}
    return {"file": shown(edit.file), "pointer": edit.pointer, **value}


def _probe_run(answer: Answer[Any]) -> ProbeRun:
    return ProbeRun(
        probe=answer.question.probe,
        label=answer.question.label,
        state=answer.state,
        reason=answer.reason,
        seconds=round(answer.seconds, 3),
        memory=answer.memory,
        repeat=answer.repeat or "",
        measured=_measured(answer),
    )


def _measured(answer: Answer[Any]) -> Any:
    """What a probe measured; of rows that it read only how many, for they are the user's own."""
    if answer.question.probe == "first_rows" and answer.value is not None:
        return {"rows": len(answer.value.rows)}
    return msgspec.to_builtins(answer.value)
