"""Rows without the trainer's columns, and a model that transformers does not know."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from commands import QUIET, checks

ROOT = Path(__file__).parents[2]
Interpreter: TypeAlias = Callable[[str], Path]
TRAIN = """
import json, sys
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", max_steps=1, per_device_train_batch_size=2, num_generations=2,
                  max_completion_length=4, report_to="none", use_cpu=True, bf16=False)
rows = [json.loads(line) for line in open("rows.jsonl")]
reward = lambda completions, **_: [0.0 for _ in completions]
GRPOTrainer("model", reward, args, train_dataset=Dataset.from_list(rows * 4)).train()
"""
LOAD = "from transformers import AutoConfig; AutoConfig.from_pretrained('model')"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_rows_without_prompts(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    laid_out(tmp_path, {"question": "Why?", "answer": "So."})
    assert "KeyError: 'prompt'" in raised(python, TRAIN, tmp_path)
    (finding,) = found(python, tmp_path, "data-lacks-columns")
    assert (finding["severity"], "rows.jsonl has no rows with prompt" in finding["message"]) == (
        "error",
        True,
    )
    laid_out(tmp_path, {"prompt": "Why?", "answer": "So."})
    assert raised(python, TRAIN, tmp_path) == ""
    assert found(python, tmp_path, "data-lacks-columns") == []


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "grpo-first"])
def test_a_model_type_that_nobody_knows(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    laid_out(tmp_path, {"prompt": "Why?"})
    assert found(python, tmp_path, "model-does-not-load") == []
    config = tmp_path / "model/config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "model_type": "own"}))
    assert "does not recognize this architecture" in raised(python, LOAD, tmp_path)
    (finding,) = found(python, tmp_path, "model-does-not-load")
    assert finding["severity"] == "error"


def laid_out(folder: Path, row: dict[str, str]) -> None:
    """The healthy model, a run that trains it with GRPO, and one row."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model", dirs_exist_ok=True)
    run = {"trainer": "grpo", "model_name_or_path": "model", "dataset_name": "rows.jsonl"}
    (folder / "run.json").write_text(json.dumps({**run, "bf16": False}))
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")


def raised(python: Path, script: str, folder: Path) -> str:
    """The last line of what the real library says where it raises; empty where it does not."""
    environment = {**os.environ, **QUIET}
    done = subprocess.run(
        [python, "-c", script], capture_output=True, text=True, cwd=folder, env=environment
    )
    return done.stderr if done.returncode else ""


def found(python: Path, folder: Path, rule: str) -> list[dict[str, Any]]:
    """What a rule finds in the run."""
    return list(checks(folder / "run.json", python, "--select", rule)[rule]["findings"])
