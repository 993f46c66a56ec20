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
