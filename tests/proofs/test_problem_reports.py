"""Problem reports of TRL users: they fail in the real library; the doctor reports the cause.

Those whose causes no proof asserts are input of `benchmarks/reports.py` alone, which runs them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from laid import Interpreter
from reports.causes import CAUSES
from reports.collection import REPORTS
from reports.report import Report, errors, findings_of_checks, names_cause, real

PROVEN = [report for report in REPORTS if report.level or report.thread in CAUSES]
ENVIRONMENTS = sorted({report.environment for report in PROVEN})
TOGETHER = 12
"""Reports that one command checks: each command reads an environment's sources."""


def groups() -> Iterator[tuple[str, list[Report]]]:
    """An environment and some of its reports, for all of them."""
    for environment in ENVIRONMENTS:
        reports = [report for report in PROVEN if report.environment == environment]
        for at in range(0, len(reports), TOGETHER):
            yield environment, reports[at : at + TOGETHER]


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "here"), list(groups()))
def test_reports(
    environment: str, here: list[Report], tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    laid = {
        report: (tmp_path / f"{n}-broken", tmp_path / f"{n}-healthy")
        for n, report in enumerate(here)
    }
    for report, (broken, healthy) in laid.items():
        report.lay(broken, healthy=False, python=python)
        report.lay(healthy, healthy=True, python=python)
    wrong = [failure for report in here for failure in failures(python, report, *laid[report])]
    for level in sorted({report.level for report in here} - {""}):
        batch = [report for report in here if report.level == level]
        scripts = [folder / "train.py" for report in batch for folder in laid[report]]
        error = findings_of_checks(python, scripts, level)
        for report, broken, healthy in zip(batch, error[::2], error[1::2], strict=True):
            if not names_cause(report, broken):
                wrong.append(f"{report.thread} is not told at {level}: {broken}")
            wrong += [f"{report.thread}, healthy: {rule}" for rule in errors(healthy)]
    assert not wrong, "\n".join(wrong)


def failures(python: Path, report: Report, broken: Path, healthy: Path) -> list[str]:
    """What is not as it should be in the two real runs of a report."""
    bad, good = real(python, broken), real(python, healthy)
    entries = []
    if not re.search(report.sign, bad.stderr + bad.stdout):
        entries.append(f"{report.thread} does not fail: {(bad.stderr + bad.stdout)[-500:]}")
    if good.returncode or re.search(report.sign, good.stderr + good.stdout):
        entries.append(
            f"{report.thread} fails after its remedy: {(good.stderr + good.stdout)[-500:]}"
        )
    return entries


def test_most_causes_are_proven() -> None:
    assert len(PROVEN) > 300


def test_threads_are_public_and_named_once() -> None:
    threads = [report.thread for report in REPORTS]
    assert len(set(threads)) == len(threads)
    issue, page = r"[\w.-]+/[\w.-]+#\d+", r"[\w-]+(\.[\w-]+)+/[\w./-]+"
    assert all(re.fullmatch(f"{issue}|{page}", thread) for thread in threads)
