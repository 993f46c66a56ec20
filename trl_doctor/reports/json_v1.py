"""The report for programs: format `json-v1`; lines and columns count from 1.

Its schema is `json_v1.schema.json` beside this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from trl_doctor.checkup.report import Check, Entry, ProbeRun, Report, ShownPlace, TargetReport
from trl_doctor.checkup.stage_shown import ModelShown, StageShown
from trl_doctor.core.finding import SEVERITIES
from trl_doctor.core.page import page
from trl_doctor.core.plain import json_escaped
from trl_doctor.core.version import __version__

STATES = ("found", "clear", "skipped", "not concerned", "ignored", "crashed")


def render(report: Report) -> str:
    """All targets, as one JSON object."""
    document = {
        "format": "json-v1",
        "trl_doctor": __version__,
        "exit_code": report.exit_code,
        "root": report.root,
        "summary": _summary(report),
        "problems": list(report.problems),
        "targets": [_target(target, report) for target in report.targets],
    }
    try:
        data = msgspec.json.encode(document)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_encodable(document))
    return json_escaped(msgspec.json.format(data, indent=2).decode())


def _encodable(value: Any) -> Any:
    """The value with lone surrogates, which UTF-8 does not have, written as escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def _summary(report: Report) -> dict[str, Any]:
    counts = [target.counts() for target in report.targets]
    states = [check.state for target in report.targets for check in target.checks]
    return {
        "targets": {"total": len(report.targets), **report.words()},
        "findings": {name: sum(item[name] for item in counts) for name in SEVERITIES},
        "checks": {state.replace(" ", "_"): states.count(state) for state in STATES},
    }


def _target(target: TargetReport, report: Report) -> dict[str, Any]:
    return {
        "target": target.given,
        "taken_for": target.taken_for,
        "verdict": target.verdict.word,
        "lacking": list(target.verdict.lacking),
        "trainer": target.trainer,
        "trainer_from": target.trainer_from or None,
        "notes": list(target.notes),
        "python": target.python or None,
        "versions": dict(target.versions),
        "models": _models(target.models),
        "level": target.level.name,
        "device": target.level.device,
        "level_because": target.level.because,
        "device_because": target.level.device_why or None,
        "probes": [_probe(run) for run in target.probe_runs],
        "stages": [_stage(stage) for stage in target.stages],
        "checks": [_check(check, report) for check in target.checks],
    }


def _stage(stage: StageShown) -> dict[str, Any]:
    """One of several trainers of a script; those of one alone are the target's."""
    return {
        "name": stage.name,
        "trainer": stage.trainer,
        "verdict": stage.verdict,
        "findings": dict(stage.counts),
        "models": _models(stage.models),
    }


def _models(models: Mapping[str, ModelShown]) -> dict[str, Any]:
    return {role: {"name": model.name, "folder": model.folder} for role, model in models.items()}


def _probe(run: ProbeRun) -> dict[str, Any]:
    """What a probe measured, in seconds and bytes; `measured` is null where it did not."""
    return {
        "probe": run.probe,
        "label": run.label,
        "state": run.state,
        "reason": run.reason or None,
        "seconds": run.seconds,
        "memory": run.memory,
        "repeat": run.repeat or None,
        "measured": run.measured,
    }


def _check(check: Check, report: Report) -> dict[str, Any]:
    rule = report.rules[check.rule]
    return {
        "rule": check.rule,
        "title": page(rule.doc).title,
        "state": check.state,
        "reason": check.reason or None,
        "findings": [_finding(entry, report) for entry in check.entries],
        "ignored": [{"message": message, "reason": why} for message, why in check.ignored],
    }


def _finding(entry: Entry, report: Report) -> dict[str, Any]:
    return {
        "severity": entry.severity,
        "message": entry.message,
        "fingerprint": entry.fingerprint,
        "page": report.page(entry.rule) or None,
        **_place(entry.at),
        "named_at": None if entry.anchor == entry.at else _place(entry.anchor),
        "evidence": list(entry.evidence),
        "stages": list(entry.stages),
        "follows_from": entry.cause,
        "remedy": entry.remedy,
        "fix": entry.fix
        and {
            "message": entry.fix.message,
            "safe": entry.fix.safe,
            "edits": [dict(edit) for edit in entry.fix.edits],
        },
    }


def _place(at: ShownPlace) -> dict[str, Any]:
    return {"file": at.file, "pointer": at.pointer, "line": at.line, "column": at.column}
