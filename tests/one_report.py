"""A checkup as a report shows it, in text and in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.report import Report
from trl_doctor.checkup.verdict import verdict
from trl_doctor.reports import json_v1, text
from trl_doctor.reports.style import Style


def report(checkup: Checkup, status: int = 1, problems: Sequence[str] = ()) -> Report:
    """The report on one checkup."""
    target_report = gathered(checkup, verdict(checkup, "error"))
    rules = {outcome.rule.name: outcome.rule for outcome in checkup.outcomes}
    return Report((target_report,), status, tuple(problems), rules=rules)


def as_text(checkup: Checkup, **style: Any) -> str:
    """What a person reads."""
    return text.render(report(checkup), Style(**style))


def as_json(checkup: Checkup, status: int = 1, problems: Sequence[str] = ()) -> Any:
    """What a program reads."""
    return json.loads(json_v1.render(report(checkup, status, problems)).encode())
