"""Scripts for a Python that is newer than the one that trl-doctor runs with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from trl_doctor_rules.every_target.file_unreadable import _is_newer

OLD, NEW = (Path(f"/opt/lib/python{version}/site-packages") for version in ("3.11", "3.12"))
PROBLEM = "is not valid Python: f-string: unmatched '['"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python takes such f-strings")
def test_an_f_string_that_the_job_s_python_takes() -> None:
    assert _is_newer(PROBLEM, [NEW])
    assert _is_newer(f"cell 3 {PROBLEM}", [NEW])
    assert not _is_newer(PROBLEM, [OLD])
    assert not _is_newer(PROBLEM, [])
    assert not _is_newer("is not valid Python: '(' was never closed", [NEW])
