"""The outcome of one rule."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts.rule import Rule

State: TypeAlias = Literal["found", "clear", "skipped", "not concerned", "ignored", "crashed"]

UNREACHED = "the disk or the system refuses: "
"""How the reason begins where a rule could not look at a file: the verdict is incomplete."""


class Ignored(Struct, frozen=True):
    """A finding that is ignored, and the reason."""

    finding: Finding
    reason: str


class Outcome(Struct, frozen=True):
    """The outcome of one rule: found, clear, skipped or crashed (`reason` explains the last two).

    A rule that found something and then could not go on is "found", with the reason. It is
    "ignored" if all its findings are ignored.
    """

    rule: Rule
    state: State
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    ignored: tuple[Ignored, ...] = ()

    def severity(self, finding: Finding) -> Severity:
        """The severity of one of the findings."""
        return finding.severity or self.rule.severity
