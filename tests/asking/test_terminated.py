"""A scheduler ends the command: nothing that it started or wrote for itself is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CODE = """
import sys, time
from pathlib import Path
from trl_doctor.asking import probes
from trl_doctor.commands import check, cli

def examined_all(*_):
    import tempfile
    with tempfile.TemporaryDirectory(prefix="trl-doctor-here-"):
        Path("begun").touch()
        time.sleep(1000)
    yield

check.examined_all = examined_all
cli.main(["check", "run.yaml", "--level", "files"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_nothing_behind(number: signal.Signals, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    doctor = subprocess.Popen(
        [sys.executable, "-c", CODE],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
    )
    while not (tmp_path / "begun").exists() and doctor.poll() is None:
        time.sleep(0.02)
    assert list(scratch.iterdir())
    doctor.send_signal(number)
    _, errors = doctor.communicate()
    assert (doctor.returncode, errors) == (128 + number, b"Aborted!\n")
    assert list(scratch.iterdir()) == []
