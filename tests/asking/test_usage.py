"""The processes that a probe has started, by both ways in which Linux lists them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trl_doctor.asking import usage

CHILD = "import sys; print('here', flush=True); sys.stdin.read()"
STARTS = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def grandchild() -> Iterator[tuple[int, int]]:
    """The ids of a process that this one has started, and of one that it has started itself."""
    command = [sys.executable, "-c", STARTS]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin and process.stdout
        lines = {process.stdout.readline().strip(), process.stdout.readline().strip()}
        (number,) = lines - {"here"}
        yield process.pid, int(number)
        process.stdin.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are asked by ps")
@pytest.mark.parametrize("lists_children", [True, False])
def test_a_process_is_found_below_those_that_started_it(
    grandchild: tuple[int, int],
    lists_children: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if lists_children and not usage.CHILDREN.exists():
        pytest.skip("this kernel does not list the children of a thread")
    if not lists_children:
        monkeypatch.setattr(usage, "CHILDREN", tmp_path / "children")
    below, lowest = grandchild
    table = usage.processes(os.getpid())
    assert table[lowest].parent == below
    assert table[below].parent == os.getpid()
    assert usage.tree_memory(os.getpid(), table) > table[lowest].memory > 0
