"""What became of one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts.rule import Rule

State: TypeAlias = Literal["found", "clear", "skipped", "not concerned", "ignored", "crashed"]


@dataclass(frozen=True)
class Ignored:
    """A finding that is not told, and why not."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What became of one rule: found something, clear, skipped or crashed (`reason` says why).

    A rule that found something and then could not go on is "found", with the reason. It is
    "ignored" where all that it found is not to be told.
    """

    rule: Rule
    state: State
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    ignored: tuple[Ignored, ...] = ()

    def severity(self, finding: Finding) -> Severity:
        """The severity of one of the findings."""
        return finding.severity or self.rule.severity
