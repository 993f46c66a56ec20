"""Two trainings of one machine at the same time, with one port and with two: real processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import checks
from laid import Interpreter

RULE = "launcher-port-taken"
TRAIN = """\
import time
from pathlib import Path
import sys
import torch.distributed as dist

dist.init_process_group("gloo")
world, other = dist.get_world_size(), "b" if sys.argv[1] == "a" else "a"
Path(sys.argv[1]).touch()
for _ in range(600):  # keep the port until the other one has met, or has failed
    if Path(other).exists() or Path("failed").exists():
        break
    time.sleep(0.1)
if world > 9:
    from trl import SFTConfig, SFTTrainer
    SFTTrainer("org/m", args=SFTConfig("out"))
"""
LINE = "{} -m torch.distributed.run --nproc_per_node 2 --master_port {} train.py {} 2> {}.log"


@pytest.mark.slow
@pytest.mark.parametrize("same", [True, False])
def test_the_second_training_finds_the_port_taken(
    same: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sh"
    port = 29641
    lines = [
        LINE.format(python, port, "a", "a") + " || touch failed &",
        LINE.format(python, port if same else port + 1, "b", "b") + " || touch failed &",
        "wait",
    ]
    job.write_text("\n".join(["#!/bin/bash", *lines, ""]))
    subprocess.run(["bash", job], cwd=tmp_path, env=dict(os.environ), timeout=200, check=True)
    logs = "".join((tmp_path / f"{name}.log").read_text() for name in "ab")
    assert (tmp_path / "failed").exists() == same, logs[-3000:]
    assert ("EADDRINUSE" in logs or "code: -98" in logs) == same, logs[-3000:]
    flags = ("--level", "files", "--select", RULE)
    found = checks(Path(f"{job}:3"), python, *flags, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == same
