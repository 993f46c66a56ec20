"""Arguments that the real command of trl refuses, and what the doctor says of them beforehand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import QUIET, checks

ROOT = Path(__file__).parents[2]
RULE = "argument-refused-by-trl"
SFT = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "dataset_name": "data",
    "output_dir": "out",
    "bf16": False,
    "max_steps": 1,
    "report_to": "none",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("eval_strategy", "stepz", "stepz is not a valid IntervalStrategy"),
        ("lr_scheduler_type", "cosin", "cosin is not a valid SchedulerType"),
        ("report_to", "wandbb", "wandbb is not supported"),
        ("optim", "adamw_torchh", "adamw_torchh is not a valid OptimizerNames"),
        ("save_strategy", "epoch", ""),
    ],
)
def test_a_value_that_trl_refuses(
    key: str,
    value: str,
    says: str,
    environment: str,
    tmp_path: Path,
    interpreter: Callable[[str], Path],
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text(json.dumps({"text": "One two three."}) + "\n")
    (tmp_path / "run.yaml").write_text(json.dumps({**SFT, key: value}))
    error = real(python, tmp_path)
    assert says in error if says else not error, error

    found = checks(tmp_path / "run.yaml", python, "--level", "tiny", "--select", RULE)[RULE]
    assert [says in one["message"] for one in found["findings"]] == ([True] if says else [])
    assert [one["pointer"] for one in found["findings"]] == ([f"/{key}"] if says else [])


def real(python: Path, folder: Path) -> str:
    """What trl's own command dies of; empty where it trains."""
    run = json.loads((folder / "run.yaml").read_text())
    del run["trainer"]
    (folder / "trl.yaml").write_text(json.dumps(run))
    command = [python, "-W", "ignore", "-m", "trl.scripts.sft", "--config", "trl.yaml"]
    done = subprocess.run(
        [*command, "--use_cpu", "true"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **QUIET, "HF_HOME": str(folder / "home")},
        timeout=300,
    )
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""
