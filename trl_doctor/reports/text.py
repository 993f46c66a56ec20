"""The report as text: verdict, findings with place and remedy, what was and was not examined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from trl_doctor.checkup.report import Entry, Proof, Report, ShownPlace, TargetReport
from trl_doctor.core.plain import plain
from trl_doctor.files.target import LIVE
from trl_doctor.reports import first_row
from trl_doctor.reports.explained import (
    explained,
    in_one_line,
    needs_remedy,
    remedy_beside_fix,
    shows_line,
)
from trl_doctor.reports.skip_reasons import by_cause
from trl_doctor.reports.style import Style, plural, wrapped
from trl_doctor.reports.text_head import MARKS, WORDS, head
from trl_doctor.reports.totals import proposals, statistics, table

MOST_NAMED = 6
"""Checks that did not run for one reason; of more, the number is enough."""

MANY, ALIKE = 3, 2
"""Checks that are counted; subjects that are not examined for one reason, and share a line."""


def render(report: Report, style: Style) -> str:
    """The whole report, one part for each target; for several targets a table and a total at the
    end."""
    several = len(report.targets) > 1
    parts = [
        "\n".join(_target(target, report, style))
        for target in report.targets
        if not (style.quiet and several and target.verdict.word == "passed" and not target.roots)
    ]
    if several:
        parts.append("\n".join(table(report, style)))
    parts.append("\n".join(proposals(report, style)))
    if style.statistics:
        parts.append("\n".join(statistics(report)))
    return "\n\n".join(part for part in parts if part)


def _target(target: TargetReport, report: Report, style: Style) -> Iterator[str]:
    yield from head(target, style)
    if not target.checks:  # nothing was opened: the first line is the verdict
        yield from _lacking(target, style)
        return
    yield ""
    for entry, why in explained(target.roots):
        yield from _finding(entry, why, style)
        if page := report.page(entry.rule):
            yield from _labelled("page", page, style)
        yield ""
    if target.subjects and not style.quiet:
        yield from _subjects(target, style)
        yield ""
    for row in () if style.quiet else target.first_rows:
        yield from (*first_row.lines(row, style), "")
    yield from _not_examined(target, style)
    yield from _verdict(target, style)


def _finding(entry: Entry, why: str, style: Style) -> Iterator[str]:
    lines = list(wrapped(f"{entry.severity}: {plain(entry.message)}", style.width, "", "    "))
    lines[0] = lines[0].replace(entry.severity, style.paint(entry.severity, entry.severity), 1)
    yield from lines
    yield from _frame(entry.at, style)
    for line in entry.evidence:
        yield from _labelled("seen", plain(line), style)
    for proof in entry.proofs if style.verbose else _different(entry.proofs):
        yield from _labelled("proof", plain(proof.message), style)
        for line in proof.evidence if style.verbose else ():
            yield from _labelled("", plain(line), style)
    if why and not style.quiet:
        yield from _labelled("why", why, style)
    if entry.fix:
        option = "--fix" if entry.fix.safe else "--fix --unsafe-fixes"
        yield from _labelled("fix", f"{plain(entry.fix.message)} [{option}]", style)
    if needs_remedy(entry):
        remedy = remedy_beside_fix(entry)
        remedy = remedy if entry.own_remedy else remedy.partition("\n\n")[0]
        yield from _labelled("remedy", plain(remedy), style)
    yield from _labelled("rule", entry.rule, style)


def _different(proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs without those that met the same error at another place."""
    by_error = {proof.message.partition(": ")[2] or proof.message: proof for proof in proofs[::-1]}
    return [proof for proof in proofs if proof in by_error.values()]


def _labelled(label: str, text: str, style: Style) -> Iterator[str]:
    first, *others = wrapped(text, style.width - 11)
    yield f"  {style.paint(f'{label:<8}', 'dim')} {first}"
    for line in others:
        yield f"  {'':<8} {line}"


def _frame(at: ShownPlace, style: Style) -> Iterator[str]:
    if at.within is None or not shows_line(at):
        yield f"  {style.paint('at      ', 'dim')} {plain(at.file)}"
        return
    line, column = at.within
    yield f"  {style.paint('at      ', 'dim')} {plain(at.shown)}"
    room = style.width - 20
    cut = max(0, column - room * 2 // 3)
    visible = plain(at.text[cut : cut + room].replace("\t", " ")).rstrip()
    visible = f"…{visible[1:]}" if cut and visible else visible
    visible = f"{visible[:-1]}…" if at.text[cut + room :].strip() else visible
    if visible not in ("", "{"):
        yield f"  {style.paint(f'{line:>8} |', 'dim')} {visible}"
        yield f"  {style.paint(' ' * 8 + ' |', 'dim')} {' ' * (column - 1 - cut)}^"


def _subjects(target: TargetReport, style: Style) -> Iterator[str]:
    alike: dict[str, list[str]] = {}
    for subject in target.subjects:
        if subject.mark == "unknown":
            alike.setdefault(subject.line, []).append(subject.name)
    for subject in target.subjects:
        names = alike.get(subject.line, []) if subject.mark == "unknown" else []
        if len(names) >= ALIKE:  # one line for all of them
            if subject.name == names[0]:
                margin = f"  {style.paint(MARKS['unknown'], 'dim')} "
                line = f"{plain(subject.line)}: {', '.join(names)}"
                yield from wrapped(line, style.width, margin, "    ")
            continue
        colour = {"bad": "error", "unknown": "dim", "warning": "warning"}.get(subject.mark, "good")
        margin = f"  {MARKS[subject.mark]} {subject.name:<14} "
        first, *others = wrapped(plain(subject.line), style.width, margin, " " * len(margin))
        yield first.replace(MARKS[subject.mark], style.paint(MARKS[subject.mark], colour), 1)
        yield from others


def _not_examined(target: TargetReport, style: Style) -> Iterator[str]:
    crashed = target.checks_in("crashed")
    for check in crashed:
        yield from _labelled("crashed", f"{check.rule}: {plain(check.reason)}", style)
    if style.quiet:
        return
    if note := target.deeper_in_words():
        yield from wrapped(plain(note), style.width, "", "  ")
        if style.verbose:
            rules = ", ".join(check.rule for check in target.deeper())
            yield from wrapped(rules, style.width, "  ", "  ")
    reasons: dict[str, list[str]] = {}
    for check in target.skipped():
        reasons.setdefault(check.reason, []).append(check.rule)
    for check in (*target.checks_in("found"), *target.checks_in("clear")):
        if check.reason:
            reasons.setdefault(check.reason, []).append(f"{check.rule} in part")
    if reasons:
        yield style.paint(f"skipped: {_skipped(target, reasons)}", "dim")
        causes = reasons if style.verbose else by_cause(reasons, target.verdict.lacking)
        for reason, names in causes.items():
            many = len(names) > MOST_NAMED and not style.verbose
            listed = f"{len(names)} checks, -v names them" if many else ", ".join(names)
            yield from wrapped(f"{plain(reason)} ({listed})", style.width, "  ", "    ")
    if style.verbose:
        yield from _not_concerned(target, style)
    if note or reasons or crashed:
        yield ""


def _not_concerned(target: TargetReport, style: Style) -> Iterator[str]:
    """The checks that are about other runs: their number by reason, or each if they are few."""
    checks = target.checks_in("not concerned")
    reasons = Counter(plain(check.reason) for check in checks)
    few = len(checks) <= MOST_NAMED
    if few:
        lines = [f"not concerned: {check.rule} ({plain(check.reason)})" for check in checks]
    else:
        lines = [f"{reason} ({n} checks)" for reason, n in reasons.most_common() if n >= MANY]
        others = sum(number for number in reasons.values() if number < MANY)
        lines += [f"other reasons ({others} checks)"] if others else []
        heading = f"not concerned: {len(checks)} checks; --output json gives the reason of each"
        yield style.paint(heading, "dim")
    for line in lines:
        yield from wrapped(line, style.width, "  ", "    ")


def _skipped(target: TargetReport, reasons: dict[str, list[str]]) -> str:
    number = len(target.skipped())
    part = sum(map(len, reasons.values())) - number
    parts = [f"{number} {plural(number, 'check')} did not run"] if number else []
    return ", ".join(parts + ([f"{part} ran only in part"] if part else []))


def _verdict(target: TargetReport, style: Style) -> Iterator[str]:
    _, colour = WORDS[target.verdict.word]
    clear, skipped = len(target.checks_in("clear")), len(target.skipped())
    parts = [style.paint(in_one_line(target), colour)]
    parts.append(f"{clear} {plural(clear, 'check')} clear")
    if skipped:
        parts.append(f"{skipped} did not run")
    if deeper := len(target.deeper()):
        what = "more than a look" if target.taken_for == LIVE else "the real libraries"
        parts.append(f"{deeper} need{'s' if deeper == 1 else ''} {what}")
    if ignored := sum(len(check.ignored) for check in target.checks):
        parts.append(f"{ignored} ignored")
    parts += _repairs(target.entries)
    line = style.paint("verdict: ", "bold") + " · ".join(parts)
    yield from wrapped(line, style.width, "", "  ")
    yield from _lacking(target, style)


def _lacking(target: TargetReport, style: Style) -> Iterator[str]:
    """What would have to be examined for a verdict."""
    for line in target.verdict.lacking:
        yield from wrapped(plain(line), style.width, "  ", "    ")


def _repairs(entries: list[Entry]) -> Iterator[str]:
    fixes = Counter(entry.fix.safe for entry in entries if entry.fix)
    if number := fixes[True]:
        yield f"--fix makes {number} {plural(number, 'repair')}"
    if number := fixes[False]:
        more = " more" if fixes[True] else ""
        yield f"--fix --unsafe-fixes makes {number}{more} {plural(number, 'repair')}"
