"""The head of a text report: verdict, trainer, libraries, how the run was read, the level."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.checkup.report import ProbeRun, TargetReport
from trl_doctor.core.plain import plain
from trl_doctor.files.target import LIVE
from trl_doctor.reports.explained import in_one_line, stage_lines, trainer_of
from trl_doctor.reports.style import Style, plural, wrapped

MARKS = {"bad": "✗", "warning": "!", "good": "✓", "unknown": "–"}
WORDS = {"passed": ("good", "good"), "failed": ("bad", "error"), "incomplete": ("unknown", "dim")}
"""The mark and the colour of each verdict."""

MOST_NOTES = 4
"""Notes on how a run was read; -v shows all."""


def head(target: TargetReport, style: Style) -> Iterator[str]:
    """The lines before the findings; only the verdict if they are to be few."""
    mark, colour = WORDS[target.verdict.word]
    heading = in_one_line(target)
    name = style.paint(plain(target.given), "bold")
    yield f"{style.paint(MARKS[mark], colour)} {name}: {style.paint(heading, colour)}"
    if style.quiet or not target.checks:
        return
    libraries, _, python = target.libraries.partition(" (")
    yield from wrapped(plain(f"{target.taken_for} · {trainer_of(target)}"), style.width, "", "  ")
    for line in stage_lines(target):
        yield from wrapped(plain(line), style.width, "  ", "    ")
    for line in (libraries, python.removesuffix(")")):
        yield from wrapped(plain(line), style.width, "", "  ")
    for note in target.notes[: None if style.verbose else MOST_NOTES]:
        yield from wrapped(plain(note), style.width, "  ", "    ")
    if len(target.notes) > MOST_NOTES and not style.verbose:
        yield f"  and {len(target.notes) - MOST_NOTES} more (-v)"
    yield from _level(target, style)


def _level(target: TargetReport, style: Style) -> Iterator[str]:
    """The level of the checkup, and the questions to the real libraries."""
    level = target.level
    if level.because is not None:
        looked = "its objects were read, and no step was taken"
        unused = "the real libraries were not used"
        yield f"level files: {looked if target.taken_for == LIVE else unused}"
        return
    of_the_script = level.name == "rehearsal"  # there the script's own run answers
    where = "the GPU" if level.device == "cuda" else "the CPU"
    if (level.name, level.device) == ("full", "cpu"):
        where += ", without real steps"
    if level.device_why:
        where += f" ({plain(level.device_why)})"
    runs = sorted(target.probe_runs, key=lambda run: -run.seconds)
    questions = ""
    if not of_the_script:
        longest = f", the longest: {_took(runs[0])}" if runs else ""
        questions = f", {len(runs)} {plural(len(runs), 'question')} to the real libraries{longest}"
    yield from wrapped(f"level {level.name} on {where}{questions}", style.width, "", "  ")
    for run in runs:
        asked = run.seconds > 0 or not of_the_script
        if (style.verbose and asked) or run.repeat:
            memory = f", {run.memory / 2**20:.0f} MiB" if run.memory else ""
            yield f"  asked: {plain(_took(run))}{memory}: {run.state}"
        if run.repeat:
            yield f"    again: {plain(run.repeat)}"


def _took(run: ProbeRun) -> str:
    return f"{run.label}, {run.seconds:.1f} s"
