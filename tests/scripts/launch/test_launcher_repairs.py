"""Which launcher files a repair edits: those beside the run file or below, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

BROKEN = "# ours\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  gradient_acumulation_steps: 2\n"
FLAGS = ["--level", "files", "--offline", "--unsafe-fixes", "--select", "launcher-key-ignored"]


def laid(folder: Path, file: str) -> tuple[Path, Path]:
    """A run file in a project, and the file of accelerate that it names."""
    run, settings = folder / "project" / "run.json", folder / "project" / file
    for path in (run, settings):
        path.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(BROKEN)
    named = {"trainer": "sft", "model_name_or_path": "org/m", "accelerate_config": file}
    run.write_text(json.dumps(named))
    return run, settings


@pytest.mark.parametrize("file", ["acc.yaml", "configs/acc.yaml"])
def test_the_users_own_file_is_repaired_and_taken_back(file: str, tmp_path: Path) -> None:
    run, settings = laid(tmp_path, file)
    result = CliRunner().invoke(main, ["check", str(run), "--fix", *FLAGS])
    assert "rename gradient_acumulation_steps to gradient_accumulation_steps" in result.output
    assert settings.read_text() == BROKEN.replace("acumulation", "accumulation")
    CliRunner().invoke(main, ["undo", str(run)])
    assert settings.read_text() == BROKEN


def test_a_file_of_the_project_is_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, settings = laid(tmp_path, "configs/acc.yaml")
    run = run.rename(tmp_path / "project" / "configs" / "run.json")
    settings = settings.rename(tmp_path / "project" / "acc.yaml")
    run.write_text(run.read_text().replace("configs/acc.yaml", str(settings)))
    CliRunner().invoke(main, ["check", str(run), "--fix", *FLAGS])
    assert settings.read_text() == BROKEN
    monkeypatch.chdir(tmp_path / "project")
    CliRunner().invoke(main, ["check", str(run), "--fix", *FLAGS])
    assert settings.read_text() != BROKEN


def test_a_diff_says_why_it_is_empty(tmp_path: Path) -> None:
    run, _ = laid(tmp_path, "../configs/acc.yaml")
    result = CliRunner().invoke(main, ["check", str(run), "--diff", *FLAGS])
    assert "is not a file of this run" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "file", ["../shared/acc.yaml", ".venv/lib/site-packages/trl/acc.yaml", "linked.yaml"]
)
def test_no_other_file_is_repaired(file: str, tmp_path: Path) -> None:
    run, settings = laid(tmp_path, file)
    if file == "linked.yaml":
        settings.rename(tmp_path / "there.yaml")
        settings.symlink_to(tmp_path / "there.yaml")
    result = CliRunner().invoke(main, ["check", str(run), "--fix", *FLAGS])
    assert "is not a file of this run" in result.output
    assert settings.read_text() == BROKEN


def test_a_copy_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    run, settings = laid(tmp_path, "acc.yaml")
    CliRunner().invoke(main, ["check", str(run), "--fix-to", str(tmp_path / "copy"), *FLAGS])
    assert settings.read_text() == BROKEN


SCRIPT = """import argparse
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int)
args = GRPOConfig("out", per_device_train_batch_size=parser.parse_args().n, num_generations=8)
GRPOTrainer("org/m", reward_funcs=len, args=args)
"""


def test_a_script_that_a_job_starts_is_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "job.sh").write_text("for n in 8 6; do python train.py --n $n; done\n")
    options = ["--level", "files", "--offline", "--unsafe-fixes", "--with", "trl==1.16.0"]
    result = CliRunner().invoke(main, ["check", "job.sh", "--diff", *options])
    assert "launcher-script-elsewhere" not in result.output
    assert "gradient_accumulation_steps=4" in result.stdout
