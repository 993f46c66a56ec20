"""All reports."""

from reports import (
    arguments,
    fifth,
    fifth_groups,
    fourth,
    fresh,
    later,
    learnt,
    ninth,
    ninth_groups,
    ninth_ppo,
    ninth_roles,
    ninth_texts,
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
    *ninth.REPORTS,
    *ninth_texts.REPORTS,
    *ninth_groups.REPORTS,
    *ninth_ppo.REPORTS,
    *ninth_roles.REPORTS,
)
