"""What the tests of probes have in common."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.rows import intent


@pytest.fixture(autouse=True)
def without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own source says nothing about rows."""
    monkeypatch.setattr(intent, "own_files", list)
