"""Problem reports of TRL users: they fail in the real library, and are told with their cause."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from laid import Interpreter
from reports.collection import REPORTS
from reports.report import Report, errors, names_cause, real, told

ENVIRONMENTS = sorted({one.environment for one in REPORTS})


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_reports(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    here = [one for one in REPORTS if one.environment == environment]
    laid = {
        one: (tmp_path / f"{n}-broken", tmp_path / f"{n}-healthy") for n, one in enumerate(here)
    }
    for one, (broken, healthy) in laid.items():
        one.lay(broken, healthy=False, python=python)
        one.lay(healthy, healthy=True, python=python)
    wrong = [said for one in here for said in failures(python, one, *laid[one])]
    for level in sorted({one.level for one in here} - {""}):
        asked = [one for one in here if one.level == level]
        scripts = [folder / "train.py" for one in asked for folder in laid[one]]
        found = told(python, scripts, level)
        for one, broken, healthy in zip(asked, found[::2], found[1::2], strict=True):
            if not names_cause(one, broken):
                wrong.append(f"{one.thread} is not told at {level}: {broken}")
            wrong += [f"{one.thread}, healthy: {said}" for said in errors(healthy)]
    assert not wrong, "\n".join(wrong)


def failures(python: Path, one: Report, broken: Path, healthy: Path) -> list[str]:
    """What is not as it should be in the two real runs of a report."""
    bad, good = real(python, broken), real(python, healthy)
    found = []
    if not re.search(one.sign, bad.stderr + bad.stdout):
        found.append(f"{one.thread} does not fail: {(bad.stderr + bad.stdout)[-500:]}")
    if good.returncode or re.search(one.sign, good.stderr + good.stdout):
        found.append(f"{one.thread} fails after its remedy: {(good.stderr + good.stdout)[-500:]}")
    return found


def test_threads_are_public_and_named_once() -> None:
    threads = [one.thread for one in REPORTS]
    assert len(set(threads)) == len(threads)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", thread) for thread in threads)
