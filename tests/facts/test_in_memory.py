"""What a script changes in memory is made in copies: the run's own folders stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trl_doctor.probes.in_memory import with_changes


def laid(folder: Path) -> Path:
    """A model with a template in a file of its own."""
    folder.mkdir()
    (folder / "config.json").write_text('{"use_cache": true, "vocab_size": 8}')
    (folder / "tokenizer_config.json").write_text('{"pad_token": "<a>", "eos_token": "<b>"}')
    (folder / "special_tokens_map.json").write_text('{"pad_token": {"content": "<a>"}}')
    (folder / "chat_template.jinja").write_text("old")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_the_copy_has_the_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = laid(tmp_path / "model")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    changes = {
        "policy": {"config.json": {"use_cache": False}},
        "tokenizer": {"tokenizer_config.json": {"pad_token": "<b>", "chat_template": "new"}},
    }
    request = {"folders": {"policy": str(folder), "tokenizer": str(folder), "value": None}}
    changed = with_changes({**request, "in_memory": changes})["folders"]
    policy, tokenizer = Path(changed["policy"]), Path(changed["tokenizer"])
    assert json.loads((policy / "config.json").read_text()) == {"use_cache": False, "vocab_size": 8}
    assert (policy / "chat_template.jinja").read_text() == "old"
    stated = json.loads((tokenizer / "tokenizer_config.json").read_text())
    assert stated == {"pad_token": "<b>", "eos_token": "<b>", "chat_template": "new"}
    assert json.loads((tokenizer / "special_tokens_map.json").read_text()) == {"pad_token": "<b>"}
    assert not (tokenizer / "chat_template.jinja").exists()
    assert (tokenizer / "model.safetensors").read_bytes() == b"weights"
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_without_changes_the_request_stays() -> None:
    request = {"folders": {"policy": "model"}}
    assert with_changes(request) is request
    assert with_changes({}) == {}
