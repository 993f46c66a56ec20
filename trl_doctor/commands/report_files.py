"""Where reports go: `--output FORMAT[=FILE]`, several at once, one of them to the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from trl_doctor.checkup.report import Report
from trl_doctor.reports.explained import totals
from trl_doctor.reports.formats import FORMATS, renderer
from trl_doctor.reports.style import Style

SUMMARY_LIMIT = 1_000_000
"""Bytes; GitHub refuses a job's summary of more than 1 MiB."""


class Output(Struct, frozen=True):
    """A format, and the file that it goes to; None is the standard output."""

    form: str
    file: str | None = None


def outputs(options: Sequence[str]) -> tuple[Output, ...]:
    """What `--output` asks for; text on the terminal if nothing. Raises `click.UsageError`."""
    parsed = tuple(_output(option) for option in options) or (Output("text"),)
    if sum(output.file is None for output in parsed) > 1:
        names = ", ".join(output.form for output in parsed if output.file is None)
        raise click.UsageError(f"only one of {names} can go to the terminal: write FORMAT=FILE")
    files = [output.file for output in parsed if output.file is not None]
    for file in files:
        if files.count(file) > 1:
            raise click.UsageError(f"--output writes {file} twice")
    return parsed


def _output(option: str) -> Output:
    form, equals, file = option.partition("=")
    if form not in FORMATS:
        from trl_doctor.core.similar import similar

        near = similar(form, FORMATS)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FORMATS)}"
        raise click.UsageError(f"--output {option}: there is no format {form}; {hint}")
    if equals and not file:
        raise click.UsageError(f"--output {option}: after = comes the name of a file")
    return Output(form, file or None)


def written(report: Report, outputs: Sequence[Output], style: Style) -> Iterator[tuple[str, str]]:
    """Write the reports that go to files; returns the file and a sentence where that fails."""
    for output in outputs:
        if output.file is None:
            continue
        plain = Style(width=style.width, verbose=style.verbose, statistics=style.statistics)
        try:
            text = renderer(output.form, plain)(report) + "\n"
            from trl_doctor.core.whole import write_whole

            write_whole(Path(output.file), text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or error
            problem = f"the {output.form} report cannot be written to {output.file}: {why}"
            yield output.file, problem
    if any(output.form == "github" for output in outputs):
        yield from _job_summary(report)


def printed(report: Report, outputs: Sequence[Output], style: Style) -> str | None:
    """The report for standard output; None if there is none."""
    for output in outputs:
        if output.file is None:
            return renderer(output.form, style)(report)
    return None


def where(report: Report, outputs: Sequence[Output], unwritten: Collection[str]) -> str:
    """The verdicts in a few words, and the files that have the report."""
    words = ", ".join(totals(report)) or "no target"
    files = (output.file for output in outputs if output.file)
    there = ", ".join(file for file in files if file not in unwritten)
    return f"{words}; the report is in {there}" if there else f"{words}; no report was written"


def style(*, colour: bool, verbose: bool, quiet: bool, statistics: bool) -> Style:
    """The style of this terminal."""
    from trl_doctor.reports.style import WIDTH, terminal_width

    width = terminal_width() if sys.stdout.isatty() else WIDTH
    return Style(colour, width, verbose, quiet, statistics)


def _job_summary(report: Report) -> Iterator[tuple[str, str]]:
    """Append to the summary of a GitHub job, if GitHub names the file."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    text = renderer("markdown", Style())(report) + "\n"
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > SUMMARY_LIMIT:
        cut = data[:SUMMARY_LIMIT].rpartition(b"\n")[0].decode(errors="ignore")
        data = f"{cut}\n\n… cut: the report is longer than GitHub displays\n".encode()
    try:
        with Path(file).open("ab") as stream:
            stream.write(data)
    except OSError as error:
        yield file, f"the job summary cannot be written to {file}: {error.strerror}"
