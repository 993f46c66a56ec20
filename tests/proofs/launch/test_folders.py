"""A launch file that goes to a folder, and names its script from another one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import checks
from laid import ROOT, Interpreter

IMPORTS = "from trl import SFTConfig, SFTTrainer\n\n"
MODEL = ROOT / "fixtures/models/healthy"
SCRIPT = f"{IMPORTS}SFTTrainer('{MODEL}', args=SFTConfig('out'))\n"
RULE = "launcher-folder-lacks-script"
LINES = {
    "cd sub\npython sub/train.py\n": False,
    "cd sub && python sub/train.py\n": False,
    "cd sub\npython train.py\n": True,
    "(cd sub && ls)\npython sub/train.py\n": True,
    "cd sub\nls\ncd ..\npython sub/train.py\n": True,
    "mkdir -p sub/sub && cp sub/train.py sub/sub/\ncd sub\npython sub/train.py\n": True,
}


@pytest.mark.parametrize(("lines", "starts"), LINES.items())
def test_the_script_is_in_another_folder(
    interpreter: Interpreter, tmp_path: Path, lines: str, starts: bool
) -> None:
    python, job = interpreter("current"), tmp_path / "job.sh"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/train.py").write_text(SCRIPT)
    job.write_text(f"#!/bin/bash\nset -e\n{lines}")
    found = checks(job, python, "--level", "files").get(RULE, {}).get("findings", [])
    assert bool(found) == (not starts)
    (tmp_path / "sub/train.py").write_text(f"{IMPORTS}print('STARTED')\n")
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "job.sh"], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ("STARTED" in done.stdout) == starts
    assert ("can't open file" in done.stderr) == (not starts)
