"""Paths that exist beside the run file alone: the report says where TRL has to start."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main


@pytest.mark.parametrize("start", ["", "sub"])
def test_where_trl_has_to_start(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sub"
    (folder / "m").mkdir(parents=True)
    (folder / "m/config.json").write_text('{"model_type": "llama"}')
    named = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "/none/zero.json"}
    (folder / "run.json").write_text(json.dumps(named))
    monkeypatch.chdir(tmp_path / start)
    given = ["check", str(folder / "run.json"), "--offline", "--format", "json"]
    (report,) = json.loads(CliRunner().invoke(main, given).stdout)["targets"]
    says = "start TRL in the run file's folder: model_name_or_path would not be found from here"
    assert (says in report["notes"]) is (start == "")


@pytest.mark.parametrize(
    ("mark", "folder", "said"),
    [
        ("pyproject.toml", "jobs", "note: ../train.py was read: train.py is not in jobs/: start"),
        ("pyproject.toml", ".", ""),
        ("notes.txt", "jobs", "rule: train.py is not in jobs/: ../train.py was read"),
        ("notes.txt", ".", ""),
    ],
)
def test_a_script_above_its_launch_file(
    mark: str, folder: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / mark).write_text("")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "train.py").write_text(
        "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
    )
    (tmp_path / "jobs/job.sh").write_text("accelerate launch train.py\n")
    monkeypatch.chdir(tmp_path / folder)
    job = os.path.relpath(tmp_path / "jobs/job.sh")
    arguments = ["check", "--level", "files", "--offline", "--with", "trl==1.16.0"]
    result = CliRunner().invoke(main, [*arguments, "--format", "json", job])
    (target,) = json.loads(result.stdout)["targets"]
    notes = [f"note: {note}" for note in target["notes"] if "is not in" in note]
    found = [
        f"rule: {finding['message']}"
        for check in target["checks"]
        for finding in check["findings"]
        if check["rule"] == "launcher-script-elsewhere"
    ]
    assert [line[: len(said)] for line in (*notes, *found)] == ([said] if said else [])
