"""What a shell makes of a training that fails in a pipe, with real bash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import checks

RULE = "launcher-failure-hidden"
TRAIN = """\
import sys

if len(sys.argv) == 1:
    raise SystemExit("no argument")
from trl import SFTConfig, SFTTrainer

SFTTrainer("org/m", args=SFTConfig("out"))
"""


@pytest.mark.parametrize("seen", [False, True])
def test_set_e_does_not_see_the_failure_before_tee(seen: bool, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sh"
    head = "#!/bin/bash\nset -e\n" + ("set -o pipefail\n" if seen else "")
    job.write_text(f"{head}{sys.executable} train.py 2>&1 | tee log.txt\ntouch published\n")
    done = subprocess.run(["bash", job], cwd=tmp_path, capture_output=True, text=True)
    assert "no argument" in (tmp_path / "log.txt").read_text()
    assert (done.returncode != 0) == seen
    assert (tmp_path / "published").exists() == (not seen)
    flags = ("--level", "files", "--select", RULE)
    found = checks(job, Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert [one["severity"] for one in found[RULE]["findings"]] == ([] if seen else ["warning"])


@pytest.mark.parametrize(("sort", "newest"), [("sort", 900), ("sort -V", 1000)])
def test_the_last_checkpoint(sort: str, newest: int, tmp_path: Path) -> None:
    for number in (100, 900, 1000):
        (tmp_path / f"out/checkpoint-{number}").mkdir(parents=True)
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sh"
    looks = f"LAST=$(ls -d out/checkpoint-* | {sort} | tail -n 1)"
    job.write_text(f"#!/bin/bash\n{looks}\necho $LAST\n{sys.executable} train.py\n")
    done = subprocess.run(["bash", job], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [f"out/checkpoint-{newest}"]
    flags = ("--level", "files", "--select", "launcher-checkpoint-by-letters")
    found = checks(job, Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert len(found["launcher-checkpoint-by-letters"]["findings"]) == (newest == 900)


@pytest.mark.parametrize("exports", [True, False])
def test_a_started_file_gets_what_is_exported(exports: bool, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "run.sh").write_text(f"rate=$LR\necho rate $rate\n{sys.executable} train.py\n")
    job = tmp_path / "job.sh"
    job.write_text(f"#!/bin/bash\n{'export ' if exports else ''}LR=2e-5\nbash run.sh\n")
    done = subprocess.run(["bash", job], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split()[:2] == ["rate", "2e-5"][: 1 + exports]
    flags = ("--level", "files", "--select", "launcher-keeps-variable")
    found = checks(job, Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert len(found["launcher-keeps-variable"]["findings"]) == (not exports)
