"""Completions that are all the same: GRPO and RLOO learn nothing, without an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import checks, doctor, logged
from laid import Interpreter
from run_with_rows import GROUPS, laid, prompts

RULE = "step-completions-all-alike"
GREEDY: dict[str, Any] = {"top_k": 1}
CASES = [
    ("current", "grpo", GREEDY),
    ("current", "grpo", {"generation_kwargs": {"do_sample": False}}),
    ("current", "rloo", GREEDY),
    ("four", "grpo", GREEDY),
]
DIFFERENT = "def score(completions, **_):\n    return [float(len(one)) for one in completions]\n"


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "trainer", "greedy"), CASES)
def test_greedy_completions_teach_nothing(
    environment: str,
    trainer: str,
    greedy: dict[str, Any],
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    run = {**GROUPS, "num_generations": 4, "per_device_train_batch_size": 4, "beta": 0.0}
    file = laid(tmp_path / "job", {**run, **greedy, "logging_steps": 1}, prompts())
    (file.parent / "mine.py").write_text(DIFFERENT)
    flags = ("--trainer", trainer, "--select", RULE)
    assert logged(python, file, trainer, "grad_norm") == 0
    (finding,) = checks(file, python, *flags)[RULE]["findings"]
    assert "all 4 completions" in finding["message"]
    assert finding["severity"] == "error"
    doctor("check", file, "--python", python, *flags, "--fix", "--unsafe-fixes")
    assert logged(python, file, trainer, "grad_norm") > 0.01
    assert checks(file, python, *flags)[RULE]["state"] == "clear"


@pytest.mark.slow
def test_a_low_temperature_is_not_accused(tmp_path: Path, interpreter: Interpreter) -> None:
    """The small model's completions are the same then; those of the real run are not."""
    python = interpreter("current")
    run = {**GROUPS, "num_generations": 4, "per_device_train_batch_size": 4, "beta": 0.0}
    file = laid(tmp_path / "job", {**run, "temperature": 0.5, "logging_steps": 1}, prompts())
    (file.parent / "mine.py").write_text(DIFFERENT)
    assert logged(python, file, "grpo", "grad_norm") > 0.01
    outcomes = checks(file, python, "--trainer", "grpo", "--select", RULE, statuses=(0, 1, 3))[RULE]
    assert (outcomes["state"], "a low temperature" in outcomes["reason"]) == ("skipped", True)
