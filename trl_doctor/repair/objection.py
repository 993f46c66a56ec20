"""Why planned steps are refused, by what the rules report of their result."""

from __future__ import annotations

from collections.abc import Sequence

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Edit, Finding, Put, Remove
from trl_doctor.repair.steps import Step


def objection(before: Checkup, after: Checkup, steps: list[Step]) -> str:
    """Why the steps are refused; empty if they are accepted."""
    old_keys = {key(outcome.rule.name, finding) for outcome, finding in before.findings}
    repaired_keys = {key(step.rule, step.finding) for step in steps}
    states = {outcome.rule.name: outcome.state for outcome in before.outcomes}
    for outcome in after.outcomes:
        name, state = outcome.rule.name, states.get(outcome.rule.name)
        if outcome.state in ("crashed", "skipped") and state in ("found", "clear"):
            return f"{name} could not examine the result: {outcome.reason}"
        for finding in outcome.findings:
            this = key(name, finding)
            if this in repaired_keys:
                return "the rule would still report its finding"
            if this not in old_keys and not _moved(finding, before.findings, name, steps):
                return f"{name} would then report: {finding.message}"
    return ""


def _moved(
    finding: Finding, before: Sequence[tuple[Outcome, Finding]], rule: str, steps: list[Step]
) -> bool:
    """Whether the rule reported this before, under a key that a step has renamed."""
    renamed = {
        removed.pointer
        for step in steps
        if any(_puts(edit, finding.place.pointer) for edit in step.fix.edits)
        for removed in step.fix.edits
        if isinstance(removed, Remove)
    }
    return any(
        outcome.rule.name == rule and old.place.pointer in renamed
        and old.place.file.name == finding.place.file.name
        for outcome, old in before
    )  # fmt: skip


def _puts(edit: Edit, pointer: str) -> bool:
    return isinstance(edit, Put) and edit.pointer == pointer


def key(rule: str, finding: Finding) -> tuple[str, str, str]:
    """By what a finding is known again after a repair: rule, name of the file, pointer."""
    return rule, finding.place.file.name, finding.place.pointer
