"""A folder without weights: a tokenizer's may be so, one that the user trains may not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import doctor, ran
from laid import ROOT, Interpreter

CODE = "from transformers import AutoModelForCausalLM as A; A.from_pretrained('./model')"
RULE = "model-files-missing"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize("weights", [True, False])
def test_a_folder_that_is_to_be_trained(
    weights: bool, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    if not weights:
        (tmp_path / "model/model.safetensors").unlink()
    process = ran(python, "-c", CODE, cwd=tmp_path)
    assert ("Error no file named" in process.stderr) is not weights, process.stderr
    flags = ("--level", "files", "--python", python, "-o", "concise")
    report = doctor("check", tmp_path / "model", "--trainer", "grpo", *flags).stdout
    assert (f"error {RULE}" in report and "has no weights" in report) is not weights, report
    assert RULE not in doctor("check", tmp_path / "model", *flags).stdout

    (tmp_path / "model/config.json").unlink()  # a tokenizer's folder
    report = doctor("check", tmp_path / "model", "--trainer", "grpo", *flags).stdout
    assert RULE not in report
