"""What is not a training script, or misbehaves, ends with a clear outcome, and leaves nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import doctor, with_hosts_that_end
from laid import ROOT
from rehearsed import SFT
from rehearsing import findings_by_rule, measured, rehearsal

Interpreter = Callable[[str], Path]
ALLOCATES = "held = []\nwhile True:\n    held.append(bytearray(50_000_000))\n"
IGNORES = "import signal\nfor one in (1, 2, 15):\n    signal.signal(one, signal.SIG_IGN)\n"
FORKS = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\nos._exit(0)\n"
ASKS = "import urllib.request\nurllib.request.urlopen('http://example.org/weights')\n"
HANDLES = (
    "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n"
    "signal.signal(signal.SIGALRM, lambda *_: None)\nsignal.alarm(1)\ntime.sleep(1000)\n"
)
ARGUMENTS = "import argparse\np = argparse.ArgumentParser()\n" + (
    "p.add_argument('--model', required=True)\np.parse_args()\n"
)
CASES = {
    "no trainer": ("print('hello')\n", 3, "without building a trainer"),
    "reads stdin": ("name = input('model? ')\n", 3, "standard input"),
    "wants arguments": (ARGUMENTS, 3, "--model"),
    "forks": (FORKS, 3, "without building a trainer"),
    "exits": ("import sys\nsys.exit(7)\n", 1, "exit status 7"),
    "exits as parsers do": ("import sys\nsys.exit(2)\n", 1, "exit status 2"),
    "wants a GPU": ("import torch\ntorch.cuda.CUDAGraph()\n", 3, "needs a GPU"),
    "downloads": (ASKS, 3, "the network"),
    "is Python 2": ("print 'hello'\n", 1, "Python 2"),
    "wants a package": ("import no_such_package\n", 3, "no_such_package is not installed"),
    "an older TRL": ("from trl import PPOv2Trainer\n", 1, "PPOv2Trainer"),
    "runs for ever": (IGNORES + "import time\nwhile 1: time.sleep(0.01)\n", 3, "took too long"),
    "allocates for ever": (ALLOCATES, 3, "of memory"),
    "handles signals": (HANDLES, 3, "took too long"),
    "is 10 MB": ("x = 1\n" + "# text that nobody reads\n" * 420_000, 3, "without building"),
    "writes elsewhere": ("import os\nos.rmdir('/var/tmp')\n", 3, "writes to /var/tmp"),
}


@pytest.mark.parametrize("name", CASES)
def test_anything_ends_with_a_clear_outcome(
    name: str, interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, status, says = CASES[name]
    (tmp_path / "train.py").write_text(script)
    (tmp_path.parent / f"{tmp_path.name}-temporary").mkdir()
    temporary = tmp_path.parent / f"{tmp_path.name}-temporary"
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    seconds = "20" if says == "took too long" else "600"
    limits = ("--timeout", seconds, "--memory-limit", "900MiB")
    ended, report = rehearsal(
        tmp_path, interpreter("current"), *limits, "train.py", run=with_hosts_that_end
    )
    failure = measured(report)["failure"]
    assert (ended, says in failure["message"]) == (status, True), (
        failure,
        findings_by_rule(report),
    )
    assert failure["remedy"] or failure["file"], "nobody is told what to do"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"]
    assert [path.name for path in temporary.iterdir()] == []
    assert working_in(temporary) == []


def working_in(folder: Path) -> list[str]:
    """The processes whose working folder is, or was, below a folder."""
    entries = []
    for process in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if str(process.readlink()).startswith(str(folder)):
                entries.append(process.parent.name)
    return entries


def test_a_notebook_with_large_outputs_is_rehearsed(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    outputs = [{"output_type": "stream", "text": ["x" * 1000] * 50_000}]
    cell = {"cell_type": "code", "source": "!nvidia-smi\n{}['model']", "outputs": outputs}
    text = json.dumps({"nbformat": 4, "cells": [cell]})
    (tmp_path / "train.ipynb").write_text(text)
    status, report = rehearsal(tmp_path, interpreter("current"), "train.ipynb")
    (finding,) = findings_by_rule(report)["script-fails"]
    assert (status, "KeyError: 'model'" in finding["message"]) == (1, True)
    assert "stopped at train.ipynb, cell 1, line 2, because of the script" in json.dumps(report)
    assert (finding["line"], finding["column"]) == (1, text.index('"!nvidia-smi') + 1)


def state(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Mode, time and content of every file below a folder."""
    by_name = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        by_name[str(path.relative_to(folder))] = (
            about.st_mode, about.st_mtime_ns, hashlib.sha256(content).hexdigest(),
        )  # fmt: skip
    return by_name


@pytest.mark.slow
def test_nothing_of_the_users_is_changed(interpreter: Interpreter, tmp_path: Path) -> None:
    """Outputs, a checkpoint, caches and a git checkout are as they were, byte for byte."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    for name in ("out/checkpoint-5/trainer_state.json", "final/config.json", ".cache/kept",
                 "wandb/run/log", "notes.txt"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "final/model.safetensors").write_bytes(b"x" * 3_000_000)
    rough = 'open("notes.txt", "a").write("x")\nimport shutil\nshutil.rmtree("out")\n'
    (tmp_path / "train.py").write_text(SFT + rough)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    before = state(tmp_path)
    status, report = rehearsal(tmp_path, interpreter("current"), "train.py", run=doctor)
    assert (status, measured(report)["reached"]) == (0, "end"), measured(report)
    assert state(tmp_path) == before
