"""All reports."""

from collections.abc import Iterable

import pytest

from reports import (
    arguments,
    eighteenth,
    eighth,
    eleventh,
    even,
    fifteenth,
    fifth,
    fourteenth,
    fourth,
    fresh,
    later,
    learnt,
    nineteenth,
    ninth,
    odd,
    preference,
    reinforcement,
    seventeenth,
    seventh,
    sixteenth,
    sixth,
    supervised,
    tenth,
    third,
    thirteenth,
    thirtieth,
    thirtyfirst,
    twelfth,
    twentieth,
    twentyeighth,
    twentyfifth,
    twentyfirst,
    twentyfourth,
    twentyninth,
    twentysecond,
    twentyseventh,
    twentysixth,
    twentythird,
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
    *sixth.REPORTS,
    *seventh.REPORTS,
    *even.REPORTS,
    *odd.REPORTS,
    *third.REPORTS,
    *eighth.REPORTS,
    *ninth.REPORTS,
    *tenth.REPORTS,
    *eleventh.REPORTS,
    *twelfth.REPORTS,
    *thirteenth.REPORTS,
    *fourteenth.REPORTS,
    *fifteenth.REPORTS,
    *sixteenth.REPORTS,
    *seventeenth.REPORTS,
    *eighteenth.REPORTS,
    *nineteenth.REPORTS,
    *twentieth.REPORTS,
    *twentyfirst.REPORTS,
    *twentysecond.REPORTS,
    *twentythird.REPORTS,
    *twentyfourth.REPORTS,
    *twentyfifth.REPORTS,
    *twentysixth.REPORTS,
    *twentyseventh.REPORTS,
    *twentyeighth.REPORTS,
    *twentyninth.REPORTS,
    *thirtieth.REPORTS,
    *thirtyfirst.REPORTS,
)


def of_threads(threads: Iterable[str]) -> list[object]:
    """The reports of these threads, as parameters: each runs with those of its environment."""
    by_thread = {report.thread: report for report in REPORTS}
    return [pytest.param(by_thread[thread], id=thread) for thread in threads]
