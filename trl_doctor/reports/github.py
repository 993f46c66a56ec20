"""Annotations of a GitHub workflow, errors first: the page shows ten of each kind."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.checkup.report import Entry, Report
from trl_doctor.core.plain import plain
from trl_doctor.reports.explained import next_steps, total_line

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
PROPERTY = {**DATA, ":": "%3A", ",": "%2C"}


def render(report: Report) -> str:
    """Workflow commands, a line each, and the total last."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    bad = "error" if report.exit_code else "warning"
    for problem in report.problems:
        yield _command("error", {"title": "trl-doctor"}, plain(problem))
    entries = report.entries
    yield from (_annotation(report, entry) for _, entry in entries if entry.severity == "error")
    for target in report.targets:
        for lack in target.verdict.lacking:
            where = {"file": report.in_repository(target.given), "title": "incomplete"}
            yield _command(bad, where, plain(lack))
    yield from (_annotation(report, entry) for _, entry in entries if entry.severity != "error")
    total = total_line(report, "nothing was examined")
    for step in next_steps(report):
        yield _command("notice", {"title": "trl-doctor"}, f"next: {plain(step)}")
    yield _command("notice", {"title": "trl-doctor"}, f"{len(report.targets)} examined: {total}")


def _annotation(report: Report, entry: Entry) -> str:
    where = {"title": entry.rule}
    at = entry.anchor
    if not at.foreign:
        place = {"line": str(at.line), "col": str(at.column)} if at.line is not None else {}
        where = {"file": report.in_repository(at.file), **place, **where}
    parts = [entry.message, *entry.evidence]
    parts += [f"at {entry.at.shown}"] if entry.at.cell else []
    parts += [f"in {entry.at.file}"] if entry.at != at else []
    parts += [f"fix: {entry.fix.message}"] if entry.fix else [f"remedy: {entry.remedy}"]
    parts += [page] if (page := report.page(entry.rule)) else []
    return _command(COMMANDS[entry.severity], where, "\n".join(map(plain, parts)))


def _command(name: str, properties: dict[str, str], data: str) -> str:
    listed = ",".join(
        f"{key}={_escaped(plain(value), PROPERTY)}" for key, value in properties.items()
    )
    return f"::{name} {listed}::{_escaped(data, DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in text)
