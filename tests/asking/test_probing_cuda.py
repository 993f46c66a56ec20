"""Probes where an import has started CUDA. The torch here is a stand-in: it only refuses, as the
real one does, what a fork of a process that has CUDA asks of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking.questions import HERE, Nothing, asked, nothing_left

from trl_doctor.core.question import Question

TORCH = """
import os
class cuda:
    started = counted = forked = False
    @classmethod
    def is_initialized(cls): return cls.started
    @classmethod
    def is_available(cls): cls.counted = True
    @classmethod
    def use(cls):
        if cls.forked: raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")
        cls.started = True
    @classmethod
    def _is_in_bad_fork(cls): return cls.forked
def _forked(): cuda.forked = cuda.started or cuda.counted
os.register_at_fork(after_in_child=_forked)
"""


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """After each test no process, no temporary file and no open descriptor is left."""
    yield from nothing_left(tmp_path, monkeypatch)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch, and packages that touch its CUDA while they are imported.

    bitsandbytes uses it. Others ask whether it is there, which counts the GPUs with CUDA where the
    driver's library cannot: on Jetson, and with some names of instances (MIG).
    """
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "counts.py").write_text("import torch; torch.cuda.is_available()")
    (tmp_path / "touches.py").write_text("import torch; torch.cuda.use()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def uses(*imports: str) -> Question[Any]:
    return Question(str(HERE / "uses_cuda.py"), "using CUDA", {}, dict, imports)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("imports", [("torch",), ("torch", "touches"), ("torch", "counts")])
def test_a_probe_can_use_cuda_whatever_was_imported(imports: tuple[str, ...]) -> None:
    (answer,) = asked(uses(*imports))
    assert (answer.state, answer.value) == ("answered", {"used": True}), answer.reason
