"""The real load_dataset with its cache on a read-only mount, and a channel of SageMaker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import checks
from laid import Interpreter

RULE = "launcher-cache-not-writable"
LOADS = "from datasets import load_dataset\nload_dataset('json', data_files='a.jsonl')\n"
START = """\
from sagemaker.inputs import TrainingInput
from sagemaker.pytorch import PyTorch

job = PyTorch(entry_point="train.py", environment={"HF_HOME": "/opt/ml/input/data/hf"})
job.fit({"hf": TrainingInput("s3://own/cache", input_mode="MODE")})
"""
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="/opt/ml/input/data/rows/a.jsonl", split="train")
SFTTrainer("org/m", args=SFTConfig("/opt/ml/model"), train_dataset=rows).train()
"""
MOUNTS = "mkdir -p $PWD/cache && mount -t tmpfs -o ro none $PWD/cache && exec"


@pytest.mark.parametrize(("mode", "count"), [("FastFile", 1), ("File", 0)])
def test_a_channel_of_sagemaker(mode: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "launch.py").write_text(START.replace("MODE", mode))
    flags = ("--level", "files", "--select", RULE)
    found = checks(tmp_path / "launch.py", Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == count


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs a mount")
def test_the_real_loader_needs_a_cache_to_write_to(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    python, outputs = interpreter("current"), []
    for other in ("", str(tmp_path / "other")):
        given = {**os.environ, "HF_HOME": str(tmp_path / "cache")}
        if other:
            given["HF_DATASETS_CACHE"] = other
        command = ["unshare", "-m", "sh", "-c", f'{MOUNTS} {python} -c "{LOADS}"']
        run = subprocess.run(
            command, cwd=tmp_path, env=given, capture_output=True, text=True, check=False
        )
        if "unshare failed" in run.stderr or "permission denied" in run.stderr.lower():
            pytest.skip(run.stderr)
        outputs.append((run.returncode, run.stderr))
    assert outputs[0][0] == 1
    assert "Read-only file system" in outputs[0][1]
    assert outputs[1][0] == 0
