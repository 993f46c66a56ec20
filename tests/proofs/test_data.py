"""What TRL's own script makes of a file and of a folder, and what the doctor says of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import checks, died

ROOT = Path(__file__).parents[2]
RUN = {
    "model_name_or_path": "models/healthy",
    "output_dir": "out",
    "max_steps": 1,
    "use_cpu": True,
    "bf16": False,
    "report_to": "none",
    "per_device_train_batch_size": 1,
}
FILE = "data/messages/train.jsonl"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "grpo-first"))
@pytest.mark.parametrize(
    ("data", "dies", "says"),
    [
        ({"dataset_name": "data/messages"}, "", ""),
        ({"dataset_name": FILE}, "Couldn't find any data file", f"{FILE} is a file"),
        ({"dataset_name": "./promptz"}, "'./promptz'", "there is no ./promptz"),
        ({"datasets": [{"path": "json", "data_files": FILE}]}, "", ""),
    ],
)
def test_a_folder_trains_and_a_file_does_not(
    environment: str,
    data: dict[str, object],
    dies: str,
    says: str,
    tmp_path: Path,
    interpreter: Callable[[str], Path],
) -> None:
    python = interpreter(environment)
    if environment == "grpo-first" and "datasets" in data:
        pytest.skip("trl 0.15.2 has no datasets")
    for name in ("models", "data"):
        shutil.copytree(ROOT / "fixtures" / name, tmp_path / name)
    run = tmp_path / "sft.yaml"
    run.write_text(json.dumps({**RUN, **data}))
    last = died(python, tmp_path, "sft", run)
    assert dies in last if dies else last == ""
    flags = ("--select", "data-not-found", "--trainer", "sft", "--level", "files")
    told = checks(run, python, *flags, statuses=(0, 1, 3), cwd=tmp_path)
    findings = told["data-not-found"]["findings"]
    assert [one["message"] for one in findings] == ([says] if says else [])
    assert all("its own as train.jsonl" in one["remedy"] for one in findings if "file" in says)
