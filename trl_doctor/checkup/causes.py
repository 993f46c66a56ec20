"""Finds which findings follow from others, so that a root cause is reported once, with its
proofs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import SEVERITIES, Finding, Severity


@dataclass(eq=False)
class ReportedFinding:
    """A finding with the outcome of its rule, the one that it follows from, and what follows.

    Where `cause` is None it is a root: it is reported by itself.
    """

    outcome: Outcome
    finding: Finding
    cause: ReportedFinding | None = None
    proofs: list[ReportedFinding] = field(default_factory=list)

    @property
    def severity(self) -> Severity:
        """The finding's own severity, or the rule's."""
        return self.outcome.severity(self.finding)

    def all_proofs(self) -> Iterator[ReportedFinding]:
        """What follows from it, and from that."""
        for one in self.proofs:
            yield one
            yield from one.all_proofs()


def reported(outcomes: Sequence[Outcome]) -> list[ReportedFinding]:
    """Every finding, in the order of the outcomes, each under the one that it follows from.

    A finding follows from the first rule of its `follows` that found something at least as bad,
    else from the one that explains most of its error's text. One that has a fix, or from which
    the other follows already, stays by itself.
    """
    every = [
        ReportedFinding(outcome, finding) for outcome in outcomes for finding in outcome.findings
    ]
    for one in every:
        one.cause = _cause(one, every)
        if one.cause:
            one.cause.proofs.append(one)
    return every


def _cause(one: ReportedFinding, every: Sequence[ReportedFinding]) -> ReportedFinding | None:
    if one.finding.fix:
        return None
    able = [other for other in every if _may_explain(other, one)]
    for name in one.finding.follows:
        for other in able:
            if other.outcome.rule.name == name:
                return other
    most = max(able, key=lambda other: _explained(other, one), default=None)
    return most if most and _explained(most, one) else None


def _explained(cause: ReportedFinding, one: ReportedFinding) -> int:
    """How many characters of a finding's error the rule of another one explains."""
    pattern, error = cause.outcome.rule.explains, one.finding.error
    match = re.search(pattern, error) if pattern and error else None
    return len(match[0]) if match else 0


def _may_explain(cause: ReportedFinding, one: ReportedFinding) -> bool:
    as_bad = SEVERITIES.index(cause.severity) <= SEVERITIES.index(one.severity)
    return as_bad and cause not in (one, *one.all_proofs())
