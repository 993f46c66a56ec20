"""A line a finding, as editors and grep read it: `file:line:column: severity rule message`."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.checkup.report import Entry, Report
from trl_doctor.checkup.stages import short
from trl_doctor.core.plain import plain
from trl_doctor.reports.explained import total_line
from trl_doctor.reports.style import Style


def render(report: Report, style: Style) -> str:
    """All findings, worst first, then what lacks, then the total."""
    return "\n".join(_lines(report, style))


def _lines(report: Report, style: Style) -> Iterator[str]:
    for _, entry in report.entries:
        yield f"{plain(entry.at.shown)}: {_sentence(entry, report, style)}"
    for target in report.targets:
        for lack in target.verdict.lacking:
            yield f"{plain(target.given)}: {style.paint('incomplete', 'dim')} {plain(lack)}"
    told = {f"{target.given}: {why}" for target in report.targets for why in target.verdict.lacking}
    for problem in (problem for problem in report.problems if problem not in told):
        yield f"trl-doctor: {plain(problem)}"
    if not style.quiet:
        yield total_line(report, "no target")


def _sentence(entry: Entry, report: Report, style: Style) -> str:
    severity = style.paint(entry.severity, entry.severity)
    option = ""
    if entry.fix:
        option = " [--fix]" if entry.fix.safe else " [--fix --unsafe-fixes]"
    page = f" {address}" if (address := report.page(entry.rule)) else ""
    stages = f" ({short(entry.stages)})" if entry.stages else ""
    return f"{severity} {entry.rule} {plain(entry.message)}{stages}{option}{page}"
