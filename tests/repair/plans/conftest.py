"""A folder of candidates, and rules of a test's own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from repair_ground import FIXTURES
from small_plugin import plugin


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    work = tmp_path.resolve() / "work"
    shutil.copytree(FIXTURES, work)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install rules by name; all are called case-… and nothing else is to be selected."""

    def install(**bodies: str) -> None:
        named = {f"case-{name.replace('_', '-')}": body for name, body in bodies.items()}
        monkeypatch.syspath_prepend(plugin(tmp_path / "site", named))

    return install
