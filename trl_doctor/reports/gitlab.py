"""GitLab's code quality report (`artifacts: reports: codequality`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trl_doctor.checkup.report import Entry, Report
from trl_doctor.core.plain import plain

SEVERITY = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report) -> str:
    """All findings and all that was not examined, as one JSON list."""
    return json.dumps(list(_issues(report)), indent=2)


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    for target, entry in report.entries:
        yield _issue(report, target.given, entry)
    for target in report.targets:
        for number, lack in enumerate(target.verdict.lacking):
            yield {
                "description": plain(f"not examined: {lack}"),
                "check_name": "incomplete",
                "fingerprint": f"incomplete-{number}-{plain(target.given)}",
                "severity": "blocker" if report.exit_code else "info",
                "location": _location(report.in_repository(target.given), 1),
            }
    for problem in report.problems:
        yield {
            "description": plain(problem),
            "check_name": "trl-doctor",
            "fingerprint": f"problem-{plain(problem)}",
            "severity": "blocker",
            "location": _location(".", 1),
        }


def _issue(report: Report, target: str, entry: Entry) -> dict[str, Any]:
    at = entry.anchor
    page = f" {address}" if (address := report.page(entry.rule)) else ""
    return {
        "description": f"{plain(entry.message)}{page}",
        "check_name": entry.rule,
        "fingerprint": f"{entry.fingerprint}-{plain(target)}",
        "severity": SEVERITY[entry.severity],
        "location": _location(report.in_repository(at.file), at.line or 1),
    }


def _location(path: str, line: int) -> dict[str, Any]:
    return {"path": plain(path), "lines": {"begin": line}}
