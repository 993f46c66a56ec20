"""A machine without caches, a small Hub, and a model as it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub.constants
import pytest
from hub_ground import FOREIGN, WEIGHTS, shard, write
from small_hub import SmallHub


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on it: own caches, no token, no proxy."""
    for name in list(os.environ):
        if name.upper().startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, value in (
        ("HF_TOKEN_PATH", str(tmp_path / "hf" / "token")),
        ("HF_HUB_OFFLINE", False),
        ("HF_HUB_DISABLE_IMPLICIT_TOKEN", False),
    ):
        monkeypatch.setattr(huggingface_hub.constants, name, value)
    return tmp_path


@pytest.fixture
def server(clean: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallHub]:
    with SmallHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        yield server


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model as on the Hub, with weights of 32 MiB and files that are not read."""
    names = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    folder = write(
        tmp_path / "model",
        {
            "config.json": {"model_type": "qwen2"},
            "generation_config.json": {},
            "tokenizer.json": {"model": {"vocab": {f"t{n}": n for n in range(9000)}}},
            "tokenizer_config.json": {},
            "merges.txt": "",
            "chat_template.jinja": "{{ messages }}",
            "additional_chat_templates/rag.jinja": "{{ documents }}",
            "modeling_own.py": "class Own: ...",
            "model.safetensors.index.json": {"weight_map": {"a": names[0], "b": names[1]}},
            "README.md": "# model",
            "checkpoint-1/config.json": {},
        },
    )
    shard(folder / names[0])
    shard(folder / names[1], tensors=4000)
    with (folder / "pytorch_model.bin").open("wb") as file:
        file.truncate(WEIGHTS)
    return folder
