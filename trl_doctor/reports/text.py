"""The report for a person: a line a subject, the findings with place and remedy, a verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trl_doctor.checkup.causes import ReportedFinding
from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.location import locate
from trl_doctor.checkup.subjects import subjects
from trl_doctor.core.finding import Place
from trl_doctor.core.page import page
from trl_doctor.core.plain import plain, shown
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable

MARKS = {"bad": "✗", "warning": "!", "good": "✓", "unknown": "–"}
COLOURS = {"error": "31", "warning": "33", "note": "36", "good": "32", "dim": "2", "bold": "1"}
WIDTH = 100
MOST_NAMED = 6
"""Checks that did not run for one reason; of more, the number is enough."""


@dataclass(frozen=True)
class Style:
    """How to show it: with colours or without, all skips or only their number."""

    colour: bool = False
    verbose: bool = False

    def paint(self, text: str, name: str) -> str:
        """The text in a colour, where there are colours."""
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour else text


def render(checkups: Sequence[Checkup], style: Style) -> str:
    """The whole report, one part a target."""
    return "\n\n".join("\n".join(_checkup(checkup, style)) for checkup in checkups)


def _checkup(checkup: Checkup, style: Style) -> Iterator[str]:
    yield from _head(checkup, style)
    yield ""
    for subject in subjects(checkup):
        name = "warning" if subject.mark == "warning" else "good"
        name = {"bad": "error", "unknown": "dim"}.get(subject.mark, name)
        mark = style.paint(MARKS[subject.mark], name)
        yield f"  {mark} {subject.name:<14} {plain(subject.line)}"
    yield ""
    for told in checkup.reported:
        if told.cause is None:
            yield from _finding(told, style)
            yield ""
    yield from _not_examined(checkup, style)
    yield _verdict(checkup, style)


def _head(checkup: Checkup, style: Style) -> Iterator[str]:
    run = checkup.run
    yield style.paint(plain(run.target.given), "bold") + f" · {plain(run.target.taken_for)}"
    trainer = run.trainer
    if isinstance(trainer, Exception):
        yield f"trainer open: {plain(str(trainer))}"
    else:
        yield f"trainer {trainer.name} ({plain(run.trainer_from)})"
    yield plain(checkup.environment.describe())
    yield from _level(checkup, style)


def _level(checkup: Checkup, style: Style) -> Iterator[str]:
    """How far it went, and what the real libraries were asked."""
    try:
        conditions = checkup.facts.probes.conditions
    except Unavailable as reason:
        yield plain(str(reason))
        return
    where = {"cpu": "the CPU", "cuda": "the GPU"}[conditions.device]
    if (conditions.level, conditions.device) == ("full", "cpu"):
        where += ", which is no GPU for real steps"
    asked = sorted(checkup.answers, key=lambda answer: -answer.seconds)
    longest = f", the longest: {_took(asked[0])}" if asked else ""
    number = f"{len(asked)} {_s(len(asked), 'question')} to the real libraries"
    yield f"level {conditions.level} on {where}, {number}{longest}"
    for answer in asked:
        if style.verbose or answer.repeat:
            memory = f", {answer.memory / 2**20:.0f} MiB" if answer.memory else ""
            yield f"  asked: {plain(_took(answer))}{memory}: {answer.state}"
        if answer.repeat:
            yield f"    again: {plain(answer.repeat)}"


def _took(answer: Answer) -> str:
    return f"{answer.question.label}, {answer.seconds:.1f} s"


def _finding(told: ReportedFinding, style: Style) -> Iterator[str]:
    finding, severity = told.finding, told.severity
    head = f"{severity}: {plain(finding.message)}"
    lines = textwrap.wrap(head, WIDTH, subsequent_indent="    ", break_long_words=False)
    lines[0] = lines[0].replace(severity, style.paint(severity, severity), 1)
    yield from lines
    yield from _frame(finding.place, style)
    for line in finding.evidence:
        yield from _labelled("seen", plain(line), style)
    for proof in told.all_proofs():
        yield from _labelled("proof", plain(proof.finding.message), style)
        for line in proof.finding.evidence if style.verbose else ():
            yield from _labelled("", plain(line), style)
    rule_page = page(told.outcome.rule.doc)
    yield from _labelled("why", rule_page.why.partition("\n\n")[0], style)
    if finding.fix:
        option = "--fix" if finding.fix.safe else "--fix --unsafe-fixes"
        yield from _labelled("fix", f"{plain(finding.fix.message)} [{option}]", style)
    if finding.remedy or not finding.fix:
        remedy = finding.remedy or rule_page.remedy.partition("\n\n")[0]
        yield from _labelled("remedy", plain(remedy), style)
    yield from _labelled("rule", told.outcome.rule.name, style)


def _labelled(label: str, text: str, style: Style) -> Iterator[str]:
    wrapped = textwrap.wrap(text, WIDTH - 11, break_long_words=False) or [""]
    yield f"  {style.paint(f'{label:<8}', 'dim')} {wrapped[0]}"
    for line in wrapped[1:]:
        yield f"  {'':<8} {line}"


def _frame(place: Place, style: Style) -> Iterator[str]:
    at = locate(place)
    if at is None or (not place.pointer and at.text):
        yield from _labelled("at", plain(shown(place.file)), style)
        return
    yield from _labelled("at", f"{plain(shown(place.file))}:{at.line}:{at.column}", style)
    cut = max(0, at.column - 60)
    visible = plain(at.text[cut : cut + WIDTH - 20].replace("\t", " ")).rstrip()
    if visible not in ("", "{"):
        yield f"  {style.paint(f'{at.line:>8} |', 'dim')} {visible}"
        yield f"  {style.paint(' ' * 8 + ' |', 'dim')} {' ' * (at.column - 1 - cut)}^"


def _not_examined(checkup: Checkup, style: Style) -> Iterator[str]:
    crashed = checkup.outcomes_in("crashed")
    for outcome in crashed:
        yield from _labelled("crashed", f"{outcome.rule.name}: {plain(outcome.reason)}", style)
    reasons: dict[str, list[str]] = {}
    for outcome in checkup.outcomes_in("skipped"):
        reasons.setdefault(outcome.reason, []).append(outcome.rule.name)
    for outcome in checkup.outcomes_in("found"):
        if outcome.reason:
            reasons.setdefault(outcome.reason, []).append(f"{outcome.rule.name} (in part)")
    if reasons:
        number = len(checkup.outcomes_in("skipped"))
        part = sum(map(len, reasons.values())) - number
        parts = [f"{number} {_s(number, 'check')} did not run"] if number else []
        parts += [f"{part} ran only in part"] if part else []
        yield style.paint(f"skipped: {', '.join(parts)}", "dim")
        for reason, names in reasons.items():
            many = len(names) > MOST_NAMED and not style.verbose
            said = f"{len(names)} checks (-v names them)" if many else ", ".join(names)
            yield from _wrapped(f"{plain(reason)}: {said}")
    if style.verbose:
        for outcome in checkup.outcomes_in("not concerned"):
            yield from _wrapped(f"not concerned: {outcome.rule.name} ({plain(outcome.reason)})")
    if reasons or crashed:
        yield ""


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _verdict(checkup: Checkup, style: Style) -> str:
    counts = {"error": 0, "warning": 0, "note": 0}
    fixes: dict[bool, int] = {True: 0, False: 0}
    for told in checkup.reported:
        counts[told.severity] += told.cause is None
        if told.finding.fix:
            fixes[told.finding.fix.safe] += 1
    clear = len(checkup.outcomes_in("clear"))
    found = ", ".join(f"{n} {_s(n, name)}" for name, n in counts.items() if n)
    worst = next((name for name, n in counts.items() if n), "good")
    crashed = len(checkup.outcomes_in("crashed"))
    skipped = len(checkup.outcomes_in("skipped"))
    fine = "nothing wrong found" + (" in what was examined" if skipped else "")
    verdict = found or (fine if clear else "nothing was checked")
    if crashed:
        verdict += f", {crashed} {_s(crashed, 'check')} crashed"
    parts = [style.paint(verdict, worst), f"{clear} {_s(clear, 'check')} clear"]
    if skipped:
        parts.append(f"{skipped} did not run")
    if fixes[True]:
        number = fixes[True]
        parts.append(f"--fix has {number} {_s(number, 'repair')}")
    if fixes[False]:
        parts.append(f"--fix --unsafe-fixes: {fixes[False]} more")
    return style.paint("verdict: ", "bold") + " · ".join(parts)


def _s(number: int, noun: str) -> str:
    return noun if number == 1 else noun + "s"
