"""Finds which findings follow from others, so that a root cause is reported once, with its
proofs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import SEVERITIES, Finding, Severity


class ReportedFinding(Struct, eq=False):
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
        for proof in self.proofs:
            yield proof
            yield from proof.all_proofs()


def reported(outcomes: Sequence[Outcome]) -> list[ReportedFinding]:
    """Every finding, in the order of the outcomes, each under the one that it follows from.

    A finding follows from the first rule of its `follows` that found something at least as bad,
    else from the one that explains most of its error's text. One that has a fix, or from which
    the other follows already, stays by itself.
    """
    findings = [
        ReportedFinding(outcome, finding) for outcome in outcomes for finding in outcome.findings
    ]
    by_rule: dict[str, list[ReportedFinding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.outcome.rule.name, []).append(finding)
    explaining = [finding for finding in findings if finding.outcome.rule.explains]
    for finding in findings:
        finding.cause = _cause(finding, by_rule, explaining)
        if finding.cause:
            finding.cause.proofs.append(finding)
    return findings


def _cause(
    finding: ReportedFinding,
    by_rule: Mapping[str, list[ReportedFinding]],
    explaining: Sequence[ReportedFinding],
) -> ReportedFinding | None:
    if finding.finding.fix:
        return None
    for name in finding.finding.follows:
        for other in by_rule.get(name, ()):
            if _may_explain(other, finding):
                return other
    candidates = [other for other in explaining if _explained(other, finding)]
    candidates = [other for other in candidates if _may_explain(other, finding)]
    return max(candidates, key=lambda other: _explained(other, finding), default=None)


def _explained(cause: ReportedFinding, finding: ReportedFinding) -> int:
    """How many characters of a finding's error the rule of another one explains."""
    pattern, error = cause.outcome.rule.explains, finding.finding.error
    match = re.search(pattern, error) if pattern and error else None
    return len(match[0]) if match else 0


def _may_explain(cause: ReportedFinding, finding: ReportedFinding) -> bool:
    as_bad = SEVERITIES.index(cause.severity) <= SEVERITIES.index(finding.severity)
    return as_bad and cause not in (finding, *finding.all_proofs())
