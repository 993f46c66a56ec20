"""The resolved run: what is known of it, and why the rest is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FIXTURES / "models", tmp_path / "models")
    shutil.copytree(FIXTURES / "data", tmp_path / "data")
    shutil.copy(FIXTURES / "grpo.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def shown(*arguments: str) -> dict[str, str]:
    result = CliRunner().invoke(main, ["show", *arguments, "--format", "json"])
    assert result.exit_code == 0, result.output
    rows: dict[str, str] = json.loads(result.stdout)
    return rows


def test_a_run_is_shown_as_it_will_be() -> None:
    rows = shown("grpo.yaml")
    assert rows["trainer"].startswith("GRPOTrainer (its comment")
    assert rows["policy model"] == "models/healthy: 69,952 parameters in 1 safetensors file(s)"
    assert rows["eos ids"].startswith("[298] (config.json)")
    assert rows["world size"] == "1 (num_processes in the run file)"
    assert (
        rows["effective batch"] == "8 completions a step = 8 a device x 1 accumulated x 1 process"
    )
    assert rows["completions"] == "8 generated at once, 8 for each of 1 prompt"
    assert rows["data"] == "4 rows"
    assert (rows["steps"], rows["epochs"]) == ("12 (from the data)", "3 (the default)")
    assert rows["tokens"] == "at most 2,048 a step, 24,576 in all"
    assert "beta=" in rows["set by TRL"]
    assert rows["max completion length"] == "256 tokens"
    assert rows["launch"] == "trl grpo --config grpo.yaml"


def test_the_launch_line_can_be_pasted() -> None:
    shutil.copy("grpo.yaml", "my run.yaml")
    assert shown("my run.yaml")["launch"] == "trl grpo --config 'my run.yaml'"


def test_unknown_values_have_a_reason() -> None:
    Path("run.yaml").write_text("model_name_or_path: models/gone\n")
    rows = shown("run.yaml")
    assert rows["trainer"].startswith("the trainer is not known")
    assert "models/gone" in rows["policy model"]
    assert "launch" not in rows
    assert "effective batch" not in shown("models/healthy")


@pytest.mark.parametrize("name", ["empty.yaml", "empty.json", "empty.py", "empty.ipynb"])
def test_an_empty_file_is_no_run(name: str) -> None:
    Path(name).write_text("")
    shows = CliRunner().invoke(main, ["show", name, "--format", "json"])
    assert (shows.exit_code, json.loads(shows.stdout)) == (
        3,
        {"run": f"not known: {name} is empty"},
    )
    assert CliRunner().invoke(main, ["check", name]).exit_code == 1


def test_a_run_without_a_model_has_no_ids() -> None:
    Path("run.yaml").write_text("learning_rate: 1.0e-6\n")
    rows = shown("run.yaml")
    assert "eos ids" not in rows
    assert rows["end and pad"].startswith("not known: the run names no policy model")


@pytest.mark.parametrize(
    ("arguments", "status"), [("gone.yaml", 3), ("grpo.yaml --trainer gppo", 2), ("", 2)]
)
def test_what_cannot_be_shown(arguments: str, status: int) -> None:
    assert CliRunner().invoke(main, ["show", *arguments.split()]).exit_code == status


PARSED = (
    "from trl import SFTConfig, SFTTrainer, TrlParser\n"
    "(args,) = TrlParser(SFTConfig).parse_args_and_config()\nSFTTrainer('models/gone', args=args)\n"
)


def test_a_script_whose_options_are_not_known() -> None:
    Path("train.py").write_text(PARSED)
    rows = shown("train.py")
    assert rows["trainer"].startswith("SFTTrainer")
    assert rows["batch"].startswith("not known: ")
    assert rows["launch"] == "python train.py"


def test_a_script_without_a_trainer_shows_no_run() -> None:
    Path("other.py").write_text("import trl\n")
    result = CliRunner().invoke(main, ["show", "other.py"])
    assert result.exit_code == 3
    assert "other.py creates no trainer of TRL" in result.stdout


def test_a_launch_file_is_not_shown() -> None:
    Path("job.sh").write_text("trl sft --config sft.yaml\n")
    result = CliRunner().invoke(main, ["show", "job.sh"])
    assert result.exit_code == 3
    assert "name the run file or the script that it starts" in result.output


def test_a_notebook_is_shown_with_the_releases_that_it_installs() -> None:
    cells = ["!pip install trl==0.24.0 transformers==4.57.6", SFT]
    Path("nb.ipynb").write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells],
                    "nbformat": 4, "metadata": {}})
    )  # fmt: skip
    assert shown("nb.ipynb")["libraries"].startswith("trl 0.24.0, transformers 4.57.6")


SFT = """\
from trl import SFTConfig, SFTTrainer
SFTTrainer("models/healthy", args=SFTConfig("out"), train_dataset=rows)
"""
