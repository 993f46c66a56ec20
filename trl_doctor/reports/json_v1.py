"""The report for programs: format `json-v1`; lines and columns count from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from trl_doctor import __version__
from trl_doctor.checkup import Checkup, Outcome
from trl_doctor.finding import Copy, Edit, Finding, Place, Put
from trl_doctor.page import page
from trl_doctor.reports.location import locate


def render(checkups: Sequence[Checkup], exit_code: int) -> str:
    """All targets, as one JSON object."""
    report = {
        "format": "json-v1",
        "trl_doctor": __version__,
        "exit_code": exit_code,
        "targets": [_target(checkup) for checkup in checkups],
    }
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


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
        "checks": [_outcome(outcome) for outcome in checkup.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "rule": outcome.rule.name,
        "state": outcome.state,
        "reason": outcome.reason or None,
        "findings": [_finding(outcome, finding) for finding in outcome.findings],
    }


def _finding(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    return {
        "severity": outcome.severity(finding),
        "message": finding.message,
        **_place(finding.place),
        "evidence": list(finding.evidence),
        "remedy": finding.remedy or page(outcome.rule.doc).remedy,
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
