"""A launch line with a command that the installed TRL does not have."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "launcher-command-not-in-trl"
RUN = {
    "model_name_or_path": "model",
    "reward_model_name_or_path": "reward",
    "dataset_name": "data",
    "output_dir": "out",
    "max_steps": 1,
    "num_generations": 2,
    "per_device_train_batch_size": 2,
    "max_completion_length": 8,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}
SERVER = "trl vllm-serve --model model &\n"


def _laid(folder: Path, command: str, before: str = "") -> None:
    for model, fixture in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / fixture, folder / model)
    (folder / "data").mkdir()
    (folder / "data/train.jsonl").write_text('{"prompt": "Say it."}\n{"prompt": "And this."}\n' * 4)
    (folder / "run.yaml").write_text(json.dumps(RUN))
    (folder / "job.sh").write_text(f"#!/bin/bash\n{before}trl {command} --config run.yaml\n")


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "there"), [("grpo-first", False), ("four", True)])
def test_a_trainer_has_no_command(
    environment: str, there: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    _laid(tmp_path, "rloo")
    done = ran(python, python.parent / "trl", "rloo", "--config", "run.yaml", cwd=tmp_path)
    assert ("invalid choice: 'rloo'" in done.stderr) is not there
    assert (done.returncode == 0) is there, done.stderr[-2000:]
    outcomes = checks(tmp_path / "job.sh", python, "--level", "files", statuses=(0, 1))
    found = outcomes[RULE]["findings"]
    assert [(one["severity"], one["line"]) for one in found] == ([] if there else [("error", 2)])


@pytest.mark.parametrize(("environment", "there"), [("grpo-first", False), ("grpo-shapes", True)])
def test_there_is_no_server(
    environment: str, there: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    _laid(tmp_path, "grpo", SERVER)
    done = ran(python, python.parent / "trl", "vllm-serve", "--help", cwd=tmp_path)
    assert ("invalid choice: 'vllm-serve'" in done.stderr) is not there
    outcomes = checks(tmp_path / "job.sh", python, "--level", "files", statuses=(0, 1))
    found = outcomes[RULE]["findings"]
    assert [(one["severity"], one["line"]) for one in found] == ([] if there else [("warning", 2)])
