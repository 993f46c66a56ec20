"""The schedule of the learning rate: the log of a real run shows what the rule says before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import checks, died, doctor, ran
from laid import Interpreter
from run_with_rows import laid, texts

RULE = "argument-warmup-ignored"
FLAGS = ("--trainer", "sft", "--select", RULE, "--level", "files")
WARMUP = {"current": {"warmup_steps": 2}, "four": {"warmup_ratio": 0.5}}
"""Two of the four steps. transformers 5.23.0 has no `warmup_ratio`."""


@pytest.mark.slow
@pytest.mark.parametrize("environment", WARMUP)
def test_the_constant_schedule_has_no_warmup(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {"lr_scheduler_type": "constant", "learning_rate": 0.001, "max_steps": 4}
    file = laid(tmp_path / "job", {**run, **WARMUP[environment], "logging_steps": 1}, texts())
    assert rates(python, file) == [0.001] * 4
    (finding,) = checks(file, python, *FLAGS)[RULE]["findings"]
    assert "the constant schedule has no warmup" in finding["message"]
    assert finding["severity"] == "warning"
    doctor("check", file, "--python", python, *FLAGS, "--fix", "--unsafe-fixes")
    assert rates(python, file) == [0, 0.0005, 0.001, 0.001]
    assert checks(file, python, *FLAGS)[RULE]["state"] == "clear"


@pytest.mark.slow
@pytest.mark.environment("current")
def test_a_polynomial_schedule_that_is_all_warmup(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "argument-refused-by-trl"
    for steps, error in ((2, "division by zero"), (3, "")):
        run = {"lr_scheduler_type": "polynomial", "warmup_steps": 2, "max_steps": steps}
        file = laid(tmp_path / "job", run, texts())
        assert error in died(python, file.parent, "sft")
        flags = ("--trainer", "sft", "--select", rule, "--level", "tiny")
        findings = checks(file, python, *flags, statuses=(0, 1, 3))[rule]["findings"]
        assert [finding["pointer"] for finding in findings] == ["/lr_scheduler_type"][: bool(error)]


def rates(python: Path, file: Path) -> list[float]:
    """The learning rate of each step, as TRL's own script logs it."""
    process = ran(python, "-m", "trl.scripts.sft", "--config", file.name, cwd=file.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    return [float(rate) for rate in re.findall(r"'learning_rate': '?([-.e\d]+)", process.stdout)]
