"""The report for programs: format `json-v1`; lines and columns count from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from trl_doctor import __version__
from trl_doctor.checkup.causes import ReportedFinding
from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.location import locate
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Copy, Edit, Place, Put
from trl_doctor.core.page import page
from trl_doctor.core.plain import json_escaped
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable


def render(checkups: Sequence[Checkup], exit_code: int, problems: Sequence[str] = ()) -> str:
    """All targets, as one JSON object; `problems` say what kept others from being examined."""
    report = {
        "format": "json-v1",
        "trl_doctor": __version__,
        "exit_code": exit_code,
        "problems": list(problems),
        "targets": [_target(checkup) for checkup in checkups],
    }
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_encodable(report))
    return json_escaped(msgspec.json.format(data, indent=2).decode())


def _encodable(value: Any) -> Any:
    """The value with lone surrogates, which UTF-8 does not have, written as escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(one) for key, one in value.items()}
    return [_encodable(one) for one in value] if isinstance(value, list | tuple) else value


def _target(checkup: Checkup) -> dict[str, Any]:
    run = checkup.run
    trainer = run.trainer
    return {
        "target": run.target.given,
        "taken_for": run.target.taken_for,
        "trainer": None if isinstance(trainer, Exception) else trainer.name,
        "python": str(checkup.environment.python),
        "models": {
            role: {
                "name": model.name,
                "folder": None if isinstance(model.folder, Exception) else str(model.folder.path),
            }
            for role, model in run.models.items()
        },
        **_level(checkup),
        "probes": [_probe(answer) for answer in checkup.answers],
        "checks": [_outcome(outcome, checkup) for outcome in checkup.outcomes],
    }


def _level(checkup: Checkup) -> dict[str, Any]:
    try:
        conditions = checkup.facts.probes.conditions
    except Unavailable as reason:
        return {"level": "files", "device": None, "level_because": str(reason)}
    return {"level": conditions.level, "device": conditions.device, "level_because": None}


def _probe(answer: Answer) -> dict[str, Any]:
    """What a probe measured, in seconds and bytes; `measured` is null where it did not."""
    return {
        "probe": answer.question.probe,
        "label": answer.question.label,
        "state": answer.state,
        "reason": answer.reason or None,
        "seconds": round(answer.seconds, 3),
        "memory": answer.memory,
        "repeat": answer.repeat or None,
        "measured": dict(answer.value) or None,
    }


def _outcome(outcome: Outcome, checkup: Checkup) -> dict[str, Any]:
    told = [one for one in checkup.reported if one.outcome is outcome]
    return {
        "rule": outcome.rule.name,
        "state": outcome.state,
        "reason": outcome.reason or None,
        "findings": [_finding(one) for one in told],
    }


def _finding(told: ReportedFinding) -> dict[str, Any]:
    finding = told.finding
    return {
        "severity": told.severity,
        "message": finding.message,
        **_place(finding.place),
        "evidence": list(finding.evidence),
        "follows_from": told.cause and told.cause.outcome.rule.name,
        "remedy": finding.remedy or page(told.outcome.rule.doc).remedy,
        "fix": finding.fix
        and {
            "message": finding.fix.message,
            "safe": finding.fix.safe,
            "edits": [_edit(edit) for edit in finding.fix.edits],
        },
    }


def _place(place: Place) -> dict[str, Any]:
    at = locate(place)
    return {
        "file": str(place.file),
        "pointer": place.pointer,
        "line": at and at.line,
        "column": at and at.column,
    }


def _edit(edit: Edit) -> dict[str, Any]:
    if isinstance(edit, Copy):
        return {"file": str(edit.file), "copy_of": str(edit.source)}
    value = {"value": edit.value} if isinstance(edit, Put) else {"remove": True}
    return {"file": str(edit.file), "pointer": edit.pointer, **value}
