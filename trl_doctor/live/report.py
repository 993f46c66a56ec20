"""The report on a live trainer: `print` shows it, and so does the result of a notebook's cell."""

from __future__ import annotations

from typing import Protocol

from trl_doctor.checkup.report import Report, TargetReport


class Printer(Protocol):
    """What IPython prints with."""

    def text(self, text: str) -> None:
        """Print this text."""


class LiveReport(TargetReport, frozen=True):
    """A report whose text is what the command prints."""

    def __str__(self) -> str:
        return self.as_text()

    def needed(self) -> str:
        """Those checks take steps of their own, which nobody takes here."""
        return f"more than a look: {self.level.because}"

    def as_text(self, *, quiet: bool = False) -> str:
        """The report as text; `quiet` has the findings and the verdict only."""
        from trl_doctor.reports import text
        from trl_doctor.reports.style import Style

        status = int(self.verdict.word == "failed")
        return text.render(Report((self,), status), Style(quiet=quiet))

    def _repr_pretty_(self, printer: Printer, _cycle: bool) -> None:
        printer.text(str(self))
