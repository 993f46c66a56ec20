"""The run files of README train with TRL's own commands, as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import died
from laid import Interpreter

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["sft", "dpo", "kto", "reward", "rloo", "grpo"])
def test_a_run_file_trains(trainer: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    for name in ("models", "data"):
        shutil.copytree(FIXTURES / name, tmp_path / name)
    shutil.copy(FIXTURES / f"{trainer}.yaml", tmp_path)
    assert died(python, tmp_path, trainer, f"{trainer}.yaml") == ""
    assert (tmp_path / "out" / trainer / "model.safetensors").is_file()
