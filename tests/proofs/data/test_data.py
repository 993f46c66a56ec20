"""What TRL's own script makes of a file and of a folder, and what the doctor reports about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, died
from laid import ROOT, Interpreter

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
    interpreter: Interpreter,
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
    outcomes = checks(run, python, *flags, statuses=(0, 1, 3), cwd=tmp_path)
    findings = outcomes["data-not-found"]["findings"]
    assert [finding["message"] for finding in findings] == ([says] if says else [])
    assert all(
        "its own as train.jsonl" in finding["remedy"] for finding in findings if "file" in says
    )


ROW = json.dumps({"messages": [{"role": "user", "content": "Why?"}]}).encode() + b"\n"
ROWS = {
    "": ROW,
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9": ROW.replace(b"Why", b"caf\xe9"),
    "An error occurred while generating the dataset": ROW[:-5] + b"\n",
    "RecursionError": b'{"a": ' + b"[" * 2000 + b"]" * 2000 + b"}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("dies", ROWS)
def test_a_run_dies_at_a_row_that_cannot_be_read(
    dies: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    shutil.copytree(ROOT / "fixtures" / "models", tmp_path / "models")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_bytes(ROW * 3 + ROWS[dies] + ROW)
    run = tmp_path / "sft.yaml"
    run.write_text(json.dumps({**RUN, "dataset_name": "data"}))
    last = died(python, tmp_path, "sft", run)
    assert dies in last if dies else last == ""
    flags = ("--select", "data-rows-unreadable", "--trainer", "sft", "--level", "files")
    outcomes = checks(run, python, *flags, statuses=(0, 1), cwd=tmp_path)
    places = [
        finding["message"].split(" ")[0] for finding in outcomes["data-rows-unreadable"]["findings"]
    ]
    assert all(place.startswith("train.jsonl:4:") for place in places)
    assert bool(places) is bool(dies)
