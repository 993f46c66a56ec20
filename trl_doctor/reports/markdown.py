"""Markdown for a pull request's comment or a job's summary; nothing in it comes out as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.checkup.report import Entry, Report, TargetReport
from trl_doctor.core.plain import plain
from trl_doctor.reports.explained import (
    READ_IN_PART,
    explained,
    needs_remedy,
    read_in_part,
    remedy_beside_fix,
    stage_lines,
    totals,
)
from trl_doctor.reports.naming import name_of

MARKS = {"passed": "✅", "failed": "❌", "incomplete": "❔"}
SPECIAL = re.compile(r"([\\`*_{}\[\]#!|~>])")


def render(report: Report) -> str:
    """A table of the targets, then what was found in each."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"## trl-doctor: {', '.join(totals(report)) or 'nothing was examined'}"
    yield ""
    for problem in report.problems:
        yield f"- **problem:** {text(problem)}"
    yield from [""] if report.problems else []
    if report.targets:
        yield "| | target | trainer | errors | warnings | notes |"
        yield "|---|---|---|--:|--:|--:|"
    for target in report.targets:
        yield _row(target, report)
    for target in report.targets:
        if target.roots or target.verdict.lacking or read_in_part(target):
            yield from _target(target, report)


def _row(target: TargetReport, report: Report) -> str:
    counts = target.counts()
    cells = (
        MARKS[target.verdict.word],
        code(name_of(target, report)),
        text(target.trainer or "–"),
        *(str(counts[name]) for name in ("error", "warning", "note")),
    )
    return f"| {' | '.join(cells)} |"


def _target(target: TargetReport, report: Report) -> Iterator[str]:
    yield ""
    read = f", {READ_IN_PART}" if read_in_part(target) else ""
    mark, name = MARKS[target.verdict.word], code(name_of(target, report))
    yield f"### {mark} {name}: {target.verdict.word}{read}"
    yield ""
    for lack in target.verdict.lacking:
        yield f"- **not examined:** {text(lack)}"
    for line in stage_lines(target):
        yield f"- {text(line)}"
    for note in target.notes:
        yield f"- {text(note)}"
    for entry, why in explained(target.roots):
        yield from _finding(entry, why, report.page(entry.rule))
    skipped, remark = len(target.skipped()), target.deeper_in_words()
    if skipped or remark:
        yield ""
    if skipped:
        yield f"{skipped} {'check' if skipped == 1 else 'checks'} did not run."
    if remark:
        yield f"{text(remark)}."
    if target.next_step:
        parts = enumerate(target.next_step.split("`"))
        yield f"Next: {''.join(code(part) if n % 2 else text(part) for n, part in parts)}."


def _finding(entry: Entry, why: str, page: str) -> Iterator[str]:
    at = entry.at
    place = at.file if at.line is None else f"{at.file}:{at.line}:{at.column}"
    rule = f"[{code(entry.rule)}]({page})" if page else code(entry.rule)
    yield f"- **{entry.severity}** {rule}: {text(entry.message)}  "
    yield f"  at {code(place)}"
    for line in entry.evidence:
        yield f"  - seen: {text(line)}"
    for proof in entry.proofs:
        yield f"  - proof: {text(proof.message)}"
    if why:
        yield f"  - why: {text(why)}"
    if entry.fix:
        option = "--fix" if entry.fix.safe else "--fix --unsafe-fixes"
        yield f"  - fix: {text(entry.fix.message)} ({code(option)})"
    if needs_remedy(entry):
        yield f"  - remedy: {text(remedy_beside_fix(entry).partition(chr(10))[0])}"


def text(value: str) -> str:
    """Text that no reader of markdown takes for markup."""
    safe = plain(value).replace("&", "&amp;").replace("<", "&lt;")
    return SPECIAL.sub(r"\\\1", safe)


def code(value: str) -> str:
    """Text in a code span, whatever backticks are in it, also inside a table."""
    shown = plain(value).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
