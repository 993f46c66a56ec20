"""A job whose run file does not exist under the name that its line has."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import checks
from laid import ROOT, Interpreter

RUN = """\
model_name_or_path: {model}
dataset_name: {data}
output_dir: out
max_steps: 1
bf16: false
use_cpu: true
report_to: none
"""


@pytest.mark.environment("current")
@pytest.mark.parametrize("name", ["a.yml", "a.yaml"])
def test_the_run_file_of_a_job(interpreter: Interpreter, tmp_path: Path, name: str) -> None:
    python = interpreter("current")
    fixtures = ROOT / "fixtures"
    run = RUN.format(model=fixtures / "models/healthy", data=fixtures / "data/messages")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a.yaml").write_text(run)
    (tmp_path / "job.sh").write_text(f"trl sft --config runs/{name}\n")
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    real = subprocess.run(
        ["bash", "job.sh"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    here = name == "a.yaml"
    assert (real.returncode == 0) == here, real.stderr[-2000:]
    assert ("FileNotFoundError" in real.stderr) == (not here)
    found = checks(tmp_path / "job.sh", python, "--level", "files")["launcher-file-not-found"]
    assert [finding["line"] for finding in found["findings"]] == ([] if here else [1])
