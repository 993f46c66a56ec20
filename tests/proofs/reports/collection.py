"""All reports."""

from reports import (
    arguments,
    fifth,
    fifth_groups,
    fourth,
    fresh,
    later,
    learnt,
    preference,
    reinforcement,
    seventh,
    sixth,
    sixth_roles,
    supervised,
)
from reports.report import Report

REPORTS: tuple[Report, ...] = (
    *arguments.REPORTS,
    *supervised.REPORTS,
    *preference.REPORTS,
    *reinforcement.REPORTS,
    *fresh.REPORTS,
    *later.REPORTS,
    *fourth.REPORTS,
    *learnt.REPORTS,
    *fifth.REPORTS,
    *fifth_groups.REPORTS,
    *sixth.REPORTS,
    *sixth_roles.REPORTS,
    *seventh.REPORTS,
)
