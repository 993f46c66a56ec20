"""How a report names a target: a file that starts several trainings is several targets."""

from __future__ import annotations

import re

from trl_doctor.checkup.report import Report, TargetReport
from trl_doctor.core.plain import plain

PART = re.compile(r"\b(?:cell \d+, )?line \d+(?=:)")


def name_of(target: TargetReport, report: Report) -> str:
    """The target as the user names it, with its line or number if several have that name."""
    alike = [other for other in report.targets if other.given == target.given]
    parts = PART.findall(target.taken_for) if len(alike) > 1 else []
    return ", ".join([plain(target.given), *parts])
