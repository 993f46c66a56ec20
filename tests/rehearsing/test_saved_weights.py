"""Weights under the names of an adapter, in a folder of a model and in one of an adapter."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import saved_weights

NAME = "base_model.model.model.embed_tokens.base_layer.weight"


@pytest.mark.parametrize(
    ("file", "inner"), (("model.safetensors", [NAME]), ("adapter_model.safetensors", []))
)
def test_an_adapter_has_names_of_an_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, inner: list[str]
) -> None:
    tensors = SimpleNamespace(keys=lambda: [NAME], get_tensor=lambda name: name)
    library: Any = SimpleNamespace(safe_open=lambda *given, **more: contextlib.nullcontext(tensors))
    monkeypatch.setitem(sys.modules, "safetensors", library)
    monkeypatch.setattr(saved_weights, "_sample", lambda weights: weights)
    monkeypatch.setattr(saved_weights, "_digest", lambda sample: ("", sample.encode()))
    (tmp_path / file).touch()
    assert saved_weights.of_folder(tmp_path)[1] == inner
