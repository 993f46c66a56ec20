"""Dropout in RLOO: the loss of the first step is not 0, and it is without dropout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, doctor, logged
from laid import Interpreter
from run_with_rows import GROUPS, laid, prompts

RULE = "rloo-clips-by-dropout"
SCORE = "def score(completions, **_):\n    return [float(len(one)) for one in completions]\n"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_dropout_distorts_the_ratio(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {**GROUPS, "num_generations": 4, "per_device_train_batch_size": 4, "logging_steps": 1}
    file = laid(tmp_path / "job", {**run, "beta": 0.0}, prompts())
    (file.parent / "mine.py").write_text(SCORE)
    config = file.parent / "model" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "attention_dropout": 0.5}))
    flags = ("--trainer", "rloo", "--select", RULE, "--level", "files")
    assert abs(logged(python, file, "rloo", "loss")) > 1e-4
    (finding,) = checks(file, python, *flags, statuses=(0, 3))[RULE]["findings"]
    assert (finding["severity"], "attention_dropout 0.5" in finding["message"]) == ("warning", True)
    doctor("check", file, "--python", python, *flags, "--fix", "--unsafe-fixes")
    assert abs(logged(python, file, "rloo", "loss")) < 1e-5
    assert checks(file, python, *flags, statuses=(0, 3))[RULE]["state"] == "clear"
