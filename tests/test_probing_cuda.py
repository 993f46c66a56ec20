"""Probes where an import has started CUDA. The torch here is a stand-in: it only refuses, as the
real one does, what a fork of a process that has CUDA asks of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from probing.asking import HERE, Nothing, asked, nothing_left

from trl_doctor.core.question import Question

TORCH = """
import os
class cuda:
    started = forked = False
    @classmethod
    def is_initialized(cls): return cls.started
    @classmethod
    def use(cls):
        if cls.forked: raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")
        cls.started = True
def _forked(): cuda.forked = cuda.started
os.register_at_fork(after_in_child=_forked)
"""


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """After each test no process, no temporary file and no open descriptor is left."""
    yield from nothing_left(tmp_path, monkeypatch)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch, and a package that uses its CUDA while it is imported, as bitsandbytes does."""
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "touches.py").write_text("import torch; torch.cuda.use()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def uses(*imports: str) -> Question[Any]:
    return Question(str(HERE / "uses_cuda.py"), "using CUDA", {}, dict, imports)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("imports", [("torch",), ("torch", "touches")])
def test_a_probe_can_use_cuda_whatever_was_imported(imports: tuple[str, ...]) -> None:
    (answer,) = asked(uses(*imports))
    assert (answer.state, answer.value) == ("answered", {"used": True}), answer.reason
