"""One report on the trainers of a script: what is the same for several is in it once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.checkup.measurement import Measurement
from trl_doctor.checkup.report import Check, Entry, TargetReport
from trl_doctor.checkup.stage_shown import StageShown
from trl_doctor.checkup.subjects import SUBJECTS, Mark, Subject, counted, subject_of
from trl_doctor.checkup.verdict import Verdict, Word
from trl_doctor.core.plain import listed

NUMBERS = re.compile(r"\d[\d.,e+-]*")
CLEAR = re.compile(r"\d+ checks? clear(?:, \d+ did not run)?")

STATES = ("crashed", "found", "ignored", "clear", "skipped", "not concerned")
"""The states of a check: the first one of any trainer is that of all."""

MARKS: tuple[Mark, ...] = ("bad", "warning", "good", "unknown")
WORDS: tuple[Word, ...] = ("failed", "incomplete", "passed")


class Stage(Struct, frozen=True):
    """A trainer, as `SFTTrainer at train.py:12`, and the report on it alone."""

    name: str
    report: TargetReport


def together(stages: Sequence[Stage]) -> TargetReport:
    """One report on all of them, which have the same target; that of the only one as it is."""
    reports = [stage.report for stage in stages]
    if len(stages) == 1:
        return reports[0]
    checks = tuple(_checks(stages))
    trainers = dict.fromkeys(report.trainer for report in reports if report.trainer)
    models = {role: model for report in reversed(reports) for role, model in report.models.items()}
    probes = [run for report in reports for run in report.probe_runs]
    return replace(
        reports[0],
        verdict=_verdict(stages),
        trainer=", ".join(trainers) or None,
        trainer_from=_same([report.trainer_from for report in reports], "created by the script"),
        notes=tuple(_notes(reports)),
        next_step=next((report.next_step for report in reports if report.next_step), ""),
        read_in_part=any(report.read_in_part for report in reports),
        models=models,
        subjects=tuple(_subjects(stages, checks)),
        checks=checks,
        probe_runs=tuple(run for at, run in enumerate(probes) if run not in probes[:at]),
        measurements=tuple(_measurements(reports)),
        first_rows=tuple(dict.fromkeys(row for report in reports for row in report.first_rows)),
        stages=tuple(_shown(stage.name, stage.report) for stage in stages),
    )


def _same(texts: Sequence[str], other: str) -> str:
    """The text that all have; `other` if they differ."""
    return texts[0] if len(set(texts)) == 1 else other


def _notes(reports: Sequence[TargetReport]) -> Iterator[str]:
    """The notes on how the run was read, with the stages that each is about."""
    of_notes: dict[str, list[int]] = {}
    for number, report in enumerate(reports, 1):
        for note in report.notes:
            of_notes.setdefault(note, []).append(number)
    for note, numbers in of_notes.items():
        yield note if len(numbers) == len(reports) else f"{short(numbers)}: {note}"


def _shown(name: str, report: TargetReport) -> StageShown:
    return StageShown(name, report.trainer, report.verdict.word, report.counts(), report.models)


def lacking(report: TargetReport, sentence: str) -> TargetReport:
    """The same report, of a target that was not examined as a whole."""
    verdict = report.verdict
    word: Word = "incomplete" if verdict.word == "passed" else verdict.word
    return replace(report, verdict=Verdict(word, (*verdict.lacking, sentence), verdict.crashed))


def named(stages: Sequence[Stage], numbers: Sequence[int]) -> str:
    """Which trainers: one with its line, of several only the number, or all."""
    count, size = len(stages), len(numbers)
    if size == 1:
        return f"stage {numbers[0]} of {count}: {stages[numbers[0] - 1].name}"
    if size == count:
        return "both trainers" if count == 2 else f"all {count} trainers"
    return f"{size} of {count} trainers: {short(numbers)}"


def short(numbers: Sequence[int]) -> str:
    """`stage 1`, or `stages 1 and 3`."""
    return f"{'stage' if len(numbers) == 1 else 'stages'} {ranges(numbers)}"


def ranges(numbers: Sequence[int]) -> str:
    """`1, 2 and 5 to 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = []
    for run in runs:
        words += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else list(map(str, run))
    return listed(words)


def _verdict(stages: Sequence[Stage]) -> Verdict:
    """The worst of all, with what lacks in any."""
    verdicts = [stage.report.verdict for stage in stages]
    lacking: dict[str, list[int]] = {}
    for number, verdict in enumerate(verdicts, 1):
        for lack in verdict.lacking:
            lacking.setdefault(lack, []).append(number)
    sentences = (
        lack if len(numbers) == len(stages) else f"{named(stages, numbers)}: {lack}"
        for lack, numbers in lacking.items()
    )
    word = min((verdict.word for verdict in verdicts), key=WORDS.index)
    return Verdict(word, tuple(sentences), any(verdict.crashed for verdict in verdicts))


def _checks(stages: Sequence[Stage]) -> Iterator[Check]:
    """Each check once, with its findings in all trainers."""
    of_rules: dict[str, list[tuple[int, Check]]] = {}
    for number, stage in enumerate(stages, 1):
        for check in stage.report.checks:
            of_rules.setdefault(check.rule, []).append((number, check))
    for rule, checks in of_rules.items():
        state = min((check.state for _, check in checks), key=STATES.index)
        ignored = dict.fromkeys(pair for _, check in checks for pair in check.ignored)
        yield Check(rule, state, _reason(stages, state, checks), _entries(stages, checks),
                    tuple(ignored))  # fmt: skip


def _reason(stages: Sequence[Stage], state: str, checks: Sequence[tuple[int, Check]]) -> str:
    """Why the check did not run, or not for all trainers."""
    reasons: dict[str, list[int]] = {}
    for number, check in checks:
        if check.state in ("skipped", "crashed", state) and check.reason:
            reasons.setdefault(check.reason, []).append(number)
    if len(reasons) == 1 and state not in ("clear", "found"):
        return next(iter(reasons))
    return "; ".join(
        reason if len(numbers) == len(stages) else f"{short(numbers)}: {reason}"
        for reason, numbers in reasons.items()
    )


def _entries(stages: Sequence[Stage], checks: Sequence[tuple[int, Check]]) -> tuple[Entry, ...]:
    """The findings, those once that differ in numbers only."""
    alike: dict[object, list[tuple[int, Entry]]] = {}
    for number, check in checks:
        for entry in check.entries:
            words = NUMBERS.sub("0", entry.message)
            key = (entry.at, entry.severity, entry.cause, words)
            alike.setdefault(key, []).append((number, entry))
    return tuple(_entry(stages, entries) for entries in alike.values())


def _entry(stages: Sequence[Stage], alike: Sequence[tuple[int, Entry]]) -> Entry:
    """The first of them, with the trainers that it is about."""
    numbers, first = sorted({number for number, _ in alike}), alike[0][1]
    same = all(entry.message == first.message for _, entry in alike)
    where = f"in {named(stages, numbers)}{'' if same else ', with other numbers'}"
    return replace(first, evidence=(where, *first.evidence), stages=tuple(numbers))


def _subjects(stages: Sequence[Stage], checks: Sequence[Check]) -> Iterator[Subject]:
    """A line for each subject: what all trainers have in common, or what each has."""
    of_names: dict[str, list[tuple[int, Subject]]] = {}
    for number, stage in enumerate(stages, 1):
        for subject in stage.report.subjects:
            of_names.setdefault(subject.name, []).append((number, subject))
    order = [*SUBJECTS, *of_names]
    for name, subjects in sorted(of_names.items(), key=lambda entry: order.index(entry[0])):
        mark = min((subject.mark for _, subject in subjects), key=MARKS.index)
        states = [check.state for check in checks if subject_of(check.rule) == name]
        numbers = counted(states.count("clear"), states.count("skipped"))
        yield Subject(name, mark, _line(len(stages), subjects, numbers))


def _line(count: int, subjects: Sequence[tuple[int, Subject]], numbers: str) -> str:
    alike: dict[str, list[tuple[int, str]]] = {}
    for number, subject in subjects:
        alike.setdefault(NUMBERS.sub("0", subject.line), []).append((number, subject.line))
    lines = [line for _, line in (pairs[0] for pairs in alike.values())]
    if all(CLEAR.fullmatch(line) for line in lines):
        return numbers
    if len(lines) == 1 and len(subjects) == count:
        return lines[0]
    return "; ".join(
        f"{short([number for number, _ in pairs])}: {line}"
        for pairs, line in zip(alike.values(), lines, strict=True)
    )


def _measurements(reports: Sequence[TargetReport]) -> Iterator[Measurement]:
    """Those of all trainers, each with the number of its own."""
    for number, report in enumerate(reports, 1):
        for measured in report.measurements:
            yield replace(measured, title=f"{measured.title}, stage {number}")
