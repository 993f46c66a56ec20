"""MLproject files of MLflow: the entry points with the defaults of their parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.launch.forms import form
from trl_doctor.files.launch.reading import read_launches

PROJECT = """name: tuning

docker_env:
  image: org/image
  volumes: ["./ckpt:/models"]

entry_points:
  main:
    parameters:
      rate: {type: float, default: 5.0}
      model: {type: string, default: "a b"}
      data: path
      bf16: {default: true}
    command: "python train.py --rate {rate} --model {model} --data {data} --bf16 {bf16}"
  several:
    parameters:
      processes: {type: int, default: 4}
    command: >
      accelerate launch
      --num_processes {processes}
      train.py --rate {speed} --format '{{x}}'
  prepare:
    command: "python prepare.py"
"""
SCRIPT = (
    "import argparse\nfrom trl import SFTConfig, SFTTrainer\n"
    "parser = argparse.ArgumentParser()\nparser.add_argument('--rate', type=float)\n"
    "arguments, _ = parser.parse_known_args()\n"
    "SFTTrainer('./m', args=SFTConfig(learning_rate=arguments.rate))\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("MLproject").write_text(PROJECT)
    Path("train.py").write_text(SCRIPT)


def test_the_words_are_those_of_mlflow() -> None:
    """Compared with `EntryPoint.compute_command` of mlflow 3.17.2."""
    data = Path("MLproject").read_bytes()
    first, second, _ = read_launches(Path("MLproject"), data, form(Path("MLproject"), data))
    texts = [word.text for word in first.words]
    assert texts == ["--rate", "5.0", "--model", "a b", "--data", "", "--bf16", "True"]
    assert first.words[5].open == "`mlflow run -P data=…` gives it"
    assert first.mounts == (("/models", "./ckpt"),)
    assert [word.text for word in second.words] == ["--rate", "", "--format", "{x}"]
    assert second.words[1].open == "the entry point has no parameter speed"
    assert (second.processes, second.line) == (4, 19)


def test_each_entry_point_that_trains_is_examined() -> None:
    options = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
    output = CliRunner().invoke(main, ["check", "MLproject", *options]).output
    assert "an MLproject file, line 14: train.py" in output and "learning_rate is 5" in output
    assert "learning_rate is not known: the entry point has no parameter speed" in output
    assert "prepare.py" not in output


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mlflow run . -P rate=2 -P data=d", ["2", "a b", "d", "True"]),
        ("mlflow run -P model=./m . --env-manager local -P data=$D", ["5.0", "./m", "?", "True"]),
        ("R=3\nmlflow run --param-list rate=$R ./", ["3", "a b", "?", "True"]),
        ("uv run mlflow run . -e several -P speed=7", ["7", "{x}"]),
    ],
)
def test_a_line_that_runs_a_project_gives_its_parameters(
    line: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "MLproject").write_text(PROJECT)
    file = tmp_path / "job.sh"
    (launch,) = read_launches(file, line.encode(), "a shell script")
    assert ["?" if word.open else word.text for word in launch.words[1::2]] == words
    assert launch.line == line.count("\n") + 1 and launch.script == "train.py"


def test_a_project_that_is_not_here_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "job.sh"
    for line in ("mlflow run https://x.org/a -P rate=1", "mlflow run ./a", "mlflow ui"):
        assert not read_launches(file, line.encode(), "a shell script")
