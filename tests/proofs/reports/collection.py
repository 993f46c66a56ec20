"""All reports."""

from reports import arguments, fourth, fresh, later, preference, reinforcement, supervised
from reports.report import Report

REPORTS: tuple[Report, ...] = (
    *arguments.REPORTS,
    *supervised.REPORTS,
    *preference.REPORTS,
    *reinforcement.REPORTS,
    *fresh.REPORTS,
    *later.REPORTS,
    *fourth.REPORTS,
)
