"""Sweeps of Weights & Biases: the runs that are examined of one, and what their scripts get."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch.forms import SWEEP, form
from trl_doctor.files.launch.reading import read_launches

SWEPT = """program: train.py
method: grid
parameters:
  rate: {values: [0.00001, 5.0]}
  beta: {min: 0.1, max: 0.3}
  model: {value: a b}
  scale: {distribution: log_uniform_values, min: 1, max: 9}
"""
OWN = """method: random
parameters:
  packing: {value: true}
  quick: {value: false}
command:
- ${env}
- accelerate
- launch
- --num_processes
- 4
- train.py
- --config
- run.yaml
- ${args_no_boolean_flags}
"""
ARGPARSE = """import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
parser.add_argument("--beta", type=float)
parser.add_argument("--scale", type=float)
parser.add_argument("--model")
cfg = parser.parse_args()
"""
OF_WANDB = """import wandb
from trl import SFTConfig, SFTTrainer
wandb.init(config={"rate": 1e-6, "model": "m"})
cfg = wandb.config
"""
ENDS = (
    "SFTTrainer(cfg.model, SFTConfig('out', learning_rate=cfg.rate), train_dataset=None).train()\n"
)


def test_each_value_is_in_a_run(tmp_path: Path) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(SWEPT)
    assert form(file, SWEPT.encode()) == SWEEP
    first, second = read_launches(file, SWEPT.encode(), SWEEP)
    assert [word.text for word in first.words][:3] == ["--rate=1e-05", "--beta=0.1", "--model=a b"]
    assert [word.text for word in second.words][:2] == ["--rate=5.0", "--beta=0.3"]
    assert first.words[3].open and first.script == "train.py"


def test_a_command_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(OWN)
    (launch,) = read_launches(file, OWN.encode(), SWEEP)
    assert launch.processes == 4
    assert [word.text for word in launch.words] == ["--config", "run.yaml", "--packing"]


@pytest.mark.parametrize("script", [ARGPARSE, OF_WANDB])
def test_the_script_gets_the_values(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(script + ENDS)
    Path("sweep.yaml").write_text(SWEPT.replace("a b", "org/m"))
    words = ("check", "sweep.yaml", "--level", "files", "--with", "trl==1.16.0", "-o", "concise")
    result = CliRunner().invoke(main, words)
    assert "argument-learning-rate-too-large learning_rate is 5" in result.output, result.output


def test_a_sweep_without_a_program_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sweep.yaml").write_text("method: grid\nparameters: {}\n")
    result = CliRunner().invoke(main, ("check", "sweep.yaml", "--level", "files"))
    assert result.exit_code == 3 and "a sweep of Weights & Biases" in result.output
