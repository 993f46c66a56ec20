"""SARIF 2.1.0, as GitHub code scanning wants it: relative files, fingerprints, fixes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trl_doctor.checkup.report import Change, Entry, Report, ShownPlace, TargetReport
from trl_doctor.core.finding import route
from trl_doctor.core.page import page
from trl_doctor.core.plain import plain
from trl_doctor.core.version import __version__
from trl_doctor.facts.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LONGEST = 1000
"""Characters of a rule's descriptions; GitHub refuses more than 1024."""

LONGEST_PATH = 4096

INCOMPLETE = "incomplete"
"""The rule of results that say what was not examined."""

TAGS = ["training", "trl"]


def render(report: Report) -> str:
    """One run with the findings of all targets."""
    rules = _rules(report)
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": _driver(rules)},
        "automationDetails": {"id": "trl-doctor/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "ROOT": {"uri": Path(report.root or "/").as_uri().rstrip("/") + "/"}
        },
        "invocations": [_invocation(report)],
        "results": [_numbered(result, numbers) for result in _results(report)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False)


def _driver(rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": "trl-doctor", "semanticVersion": __version__, "rules": rules}


def _numbered(result: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    return {**result, "ruleIndex": numbers[result["ruleId"]]}


def _rules(report: Report) -> list[dict[str, Any]]:
    """The rules that found something, each once: the pages of all take a megabyte."""
    found = {entry.rule for _, entry in report.entries}
    rules = [_rule(report.rules[name], report.page(name)) for name in sorted(found)]
    if any(target.verdict.lacking for target in report.targets):
        text = "A part of the target could not be examined."
        level = {"level": "warning"}
        short = {"text": text}
        rules.append({"id": INCOMPLETE, "shortDescription": short, "defaultConfiguration": level})
    return rules


def _rule(rule: Rule, address: str) -> dict[str, Any]:
    rule_page = page(rule.doc)
    title, why = plain(rule_page.title)[:LONGEST], plain(rule_page.why)[:LONGEST]
    remedy = plain(rule_page.remedy)
    precision = {"error": "high", "warning": "medium", "note": "medium"}[rule.severity]
    return {
        "id": rule.name,
        **({"helpUri": address} if address else {}),
        "shortDescription": {"text": title},
        "fullDescription": {"text": why or title},
        "help": {
            "text": f"{why}\n\nRemedy: {remedy}",
            "markdown": f"{why}\n\n**Remedy:** {remedy}",
        },
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": TAGS,
            "precision": precision,
            "problem.severity": {"note": "recommendation"}.get(rule.severity, rule.severity),
        },
    }


def _invocation(report: Report) -> dict[str, Any]:
    notifications = [(problem, "error") for problem in report.problems]
    notifications += [
        (lack, "warning") for target in report.targets for lack in target.verdict.lacking
    ]
    notes = [{"level": level, "message": {"text": plain(text)}} for text, level in notifications]
    return {
        "executionSuccessful": report.exit_code in (0, 1),
        "exitCode": report.exit_code,
        "toolExecutionNotifications": notes,
    }


def _results(report: Report) -> Iterator[dict[str, Any]]:
    for target, entry in report.entries:
        yield _result(report, target, entry)
    for target in report.targets:
        for lack in target.verdict.lacking:
            location = {"physicalLocation": {"artifactLocation": _artifact(report, target.given)}}
            yield {
                "ruleId": INCOMPLETE,
                "level": "warning",
                "message": {"text": plain(f"{target.given}: {lack}")},
                "locations": [location],
            }


def _result(report: Report, target: TargetReport, entry: Entry) -> dict[str, Any]:
    text = "\n".join([plain(entry.message), *map(plain, entry.evidence)])
    result: dict[str, Any] = {
        "ruleId": entry.rule,
        "level": entry.severity,
        "message": {"text": text if entry.anchor == entry.at else f"{text}\nin {_at(entry.at)}"},
        "locations": [_location(report, entry.anchor)],
        "partialFingerprints": {"trlDoctor/v1": entry.fingerprint},
        "properties": {"target": plain(target.given)},
    }
    if entry.anchor != entry.at:
        result["relatedLocations"] = [{"id": 1, **_location(report, entry.at)}]
    changes = [change for change in entry.fix.changes if not change.foreign] if entry.fix else []
    if entry.fix and changes and len(changes) == len(entry.fix.changes):
        artifact_changes = [_change(report, change) for change in changes]
        message = {"text": plain(entry.fix.message)}
        result["fixes"] = [{"description": message, "artifactChanges": artifact_changes}]
    return result


def _at(spot: ShownPlace) -> str:
    return plain(spot.file if spot.line is None else f"{spot.file}:{spot.line}:{spot.column}")


def _location(report: Report, spot: ShownPlace) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(report, spot.file)}
    if spot.line is not None:
        physical["region"] = {"startLine": spot.line, "startColumn": spot.column or 1}
    else:
        physical["region"] = {"startLine": 1}
    location: dict[str, Any] = {"physicalLocation": physical}
    if keys := route(spot.pointer):
        name = {"name": plain(keys[-1]), "fullyQualifiedName": plain(spot.pointer)}
        location["logicalLocations"] = [{**name, "kind": "member"}]
    return location


def _artifact(report: Report, file: str) -> dict[str, Any]:
    path = report.in_repository(file[:LONGEST_PATH])
    address = quote(path.encode("utf-8", "backslashreplace"), safe="/._-~")
    if path.startswith("/"):
        return {"uri": "file://" + address}
    return {"uri": address, "uriBaseId": "ROOT"}


def _change(report: Report, change: Change) -> dict[str, Any]:
    region = {
        "startLine": change.first,
        "startColumn": 1,
        "endLine": change.last,
        "endColumn": 1,
    }
    content = {"text": change.text}
    return {
        "artifactLocation": _artifact(report, change.file),
        "replacements": [{"deletedRegion": region, "insertedContent": content}],
    }
