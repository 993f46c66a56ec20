"""A model whose files are changed, and a state folder with a key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from writing_ground import OLD


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    return tmp_path / "state"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_bytes(OLD)
    (model / "tokenizer.json").write_bytes(b"tokens")
    return model
