"""`trl-doctor rehearse` from its words to what it starts, without the libraries."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.rehearsing.command import NoCommand, command

PYTHON = Path("/venv/bin/python")


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    monkeypatch.chdir(tmp_path)


def test_a_script_is_run_by_the_interpreter_with_its_arguments() -> None:
    named = command(["train.py", "--lr", "1"], PYTHON)
    assert named.arguments == (str(PYTHON), "train.py", "--lr", "1")
    assert named.script == "train.py"


def test_processes_of_a_script_are_started_with_torchrun() -> None:
    words = command(["train.py"], PYTHON, 2).arguments
    assert words[1:4] == ("-m", "torch.distributed.run", "--nproc-per-node=2")


def test_a_command_keeps_its_words_and_variables() -> None:
    given = ["A=1", "accelerate", "launch", "--config_file", "zero.yaml", "train.py"]
    named = command(given, PYTHON)
    assert named.arguments[-4:] == ("launch", "--config_file", "zero.yaml", "train.py")
    assert (dict(named.variables), named.script) == ({"A": "1"}, "train.py")


@pytest.mark.parametrize("words", [["none.py"], ["notebook.ipynb"], ["no-such-program"], ["A=1"]])
def test_what_cannot_be_rehearsed_is_refused(words: list[str]) -> None:
    with pytest.raises(NoCommand):
        command(words, PYTHON)


def test_wrong_use_ends_with_2() -> None:
    done = CliRunner().invoke(main, ["rehearse", "none.py"])
    assert done.exit_code == 2


def test_an_interpreter_without_trl_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(main, ["rehearse", "train.py"])
    assert done.exit_code == 2
    assert "is not installed" in done.output
