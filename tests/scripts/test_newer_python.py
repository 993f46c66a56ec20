"""Scripts for a Python that is newer than the one that trl-doctor runs with."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from trl_doctor_rules.every_target.file_unreadable import _is_newer

OLD, NEW = (Path(f"/opt/lib/python{version}/site-packages") for version in ("3.11", "3.12"))
PROBLEM = "is not valid Python: f-string: unmatched '['"


def facts(*paths: Path, trl: Path | None = Path("/trl")) -> Any:
    return SimpleNamespace(environment=SimpleNamespace(paths=paths, source=lambda package: trl))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python takes such f-strings")
def test_an_f_string_that_the_job_s_python_takes() -> None:
    assert _is_newer(PROBLEM, facts(NEW))
    assert _is_newer(f"cell 3 {PROBLEM}", facts(NEW))
    assert not _is_newer(PROBLEM, facts(OLD))
    assert not _is_newer(PROBLEM, facts())
    assert not _is_newer("is not valid Python: '(' was never closed", facts(NEW))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python takes such f-strings")
def test_the_python_of_the_job_is_not_known_without_trl() -> None:
    assert _is_newer(PROBLEM, facts(OLD, trl=None))
    assert not _is_newer("is not valid Python: '(' was never closed", facts(OLD, trl=None))
