"""Each draw runs the proofs of the founding five and a share of the others; none is never drawn."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest

@pytest.mark.proof
@pytest.mark.parametrize("n", range(20))
def test_proof(n): pass

@pytest.mark.proof
@pytest.mark.founding
def test_founding(): pass

def test_other(): pass
"""


def collected(folder: Path, *options: str) -> set[str]:
    """The names of the tests that a run with these options would run."""
    command = [sys.executable, "-m", "pytest", "-p", "drawn", "--collect-only", "-q", *options]
    plugins = {"PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=plugins)
    assert run.returncode == 0, run.stdout + run.stderr
    return set(re.findall(r"::(\S+)", run.stdout))


def test_a_draw(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n    proof: one\n    founding: five\n"
    )
    everything = collected(tmp_path)
    assert len(everything) == 22
    draws = [collected(tmp_path, "--share", "2", "--draw", f"commit-{n}") for n in range(8)]
    assert all({"test_founding", "test_other"} <= draw < everything for draw in draws)
    assert set().union(*draws) == everything
    assert draws[0] == collected(tmp_path, "--share", "2", "--draw", "commit-0")


def test_without_a_commit_a_word_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_other(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "drawn", "--share", "2"]
    plugins = {"PYTHONPATH": str(Path(__file__).parent), "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=plugins)
    assert run.returncode != 0
    assert "use --draw" in run.stdout + run.stderr
