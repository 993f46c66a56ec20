"""The end of a report on many targets: failed targets, the total, findings by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trl_doctor.checkup.report import Report, TargetReport
from trl_doctor.core.plain import plain
from trl_doctor.reports.explained import next_steps, totals
from trl_doctor.reports.naming import name_of
from trl_doctor.reports.style import Style, wrapped


def proposals(report: Report, style: Style) -> Iterator[str]:
    """What would examine more of the targets."""
    for step in [] if style.quiet else next_steps(report):
        yield from wrapped(f"{style.paint('next:', 'bold')} {plain(step)}", style.width, "", "  ")


def table(report: Report, style: Style) -> Iterator[str]:
    """The failed targets with their rules; the total is last."""
    from tabulate import tabulate

    order = {"passed": 0, "incomplete": 1, "failed": 2}
    rows = []
    longest = max(len(name_of(target, report)) for target in report.targets)
    for target in sorted(report.targets, key=lambda target: order[target.verdict.word]):
        if target.verdict.word == "passed" and style.quiet:
            continue
        rows.append(
            (
                target.verdict.word,
                name_of(target, report),
                plain(_why(target, style.width - longest - 14)),
            )
        )
    yield from tabulate(rows, tablefmt="plain").splitlines()
    counts = " · ".join((f"{len(report.targets)} targets", *totals(report)))
    yield style.paint("total: ", "bold") + counts


def _why(target: TargetReport, room: int) -> str:
    """The first rules that found something, as many as fit; else what was not examined."""
    rules = list(dict.fromkeys(entry.rule for entry in target.roots))
    room = max(20, room)
    for number in (3, 2, 1):
        more = len(rules) - number
        reason = ", ".join(rules[:number]) + (f" and {more} more" if more > 0 else "")
        if rules and len(reason) <= room:
            return reason
    reason = next(iter(rules or target.verdict.lacking), "")
    return reason if len(reason) <= room else reason[: room - 1] + "…"


def statistics(report: Report) -> Iterator[str]:
    """How often each rule found something, and in how many targets."""
    from tabulate import tabulate

    counts: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    for target in report.targets:
        for rule, number in Counter(entry.rule for entry in target.entries).items():
            counts[rule] += number
            targets[rule] += 1
    rows = [(number, rule, targets[rule]) for rule, number in counts.most_common()]
    lines = tabulate(rows, headers=["findings", "rule", "targets"], tablefmt="simple")
    yield from lines.splitlines() if rows else ["no findings"]
