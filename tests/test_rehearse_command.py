"""`trl-doctor rehearse` from its words to what it starts, without the libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.rehearsing.at import At
from trl_doctor.rehearsing.command import NoCommand, command

PYTHON = Path("/venv/bin/python")


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    (tmp_path / "train.md.ipynb").write_text("{")
    monkeypatch.chdir(tmp_path)


def test_a_script_is_run_by_the_interpreter_with_its_arguments() -> None:
    named = command(["train.py", "--lr", "1"], PYTHON)
    assert named.arguments == (str(PYTHON), "train.py", "--lr", "1")
    assert named.script == "train.py"


def test_files_are_found_from_the_copy_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = command([str(tmp_path / "train.py"), "--x", ".."], PYTHON)
    assert inside.arguments == (str(PYTHON), "train.py", "--x", str(tmp_path / ".."))
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    outside = command(["torchrun", "../train.py", "../none"], PYTHON)
    assert outside.arguments[-2:] == (str(tmp_path / "inner/../train.py"), "../none")


def test_processes_of_a_script_are_started_with_torchrun() -> None:
    words = command(["train.py"], PYTHON, 2).arguments
    assert words[1:4] == ("-m", "torch.distributed.run", "--nproc-per-node=2")


def test_a_command_keeps_its_words_and_variables() -> None:
    given = ["A=1", "accelerate", "launch", "--config_file", "zero.yaml", "train.py"]
    named = command(given, PYTHON)
    assert named.arguments[-4:] == ("launch", "--config_file", "zero.yaml", "train.py")
    assert (dict(named.variables), named.script) == ({"A": "1"}, "train.py")


@pytest.mark.parametrize(
    "words", [["none.py"], ["none.ipynb"], ["train.md.ipynb"], ["no-such-program"], ["A=1"]]
)
def test_what_cannot_be_rehearsed_is_refused(words: list[str]) -> None:
    with pytest.raises(NoCommand):
        command(words, PYTHON)


CELLS = ["import os\n!pip install trl\nx = !ls", "%%bash\nls\n", "", "y = 2\nz = y.upper()"]


def test_a_notebook_runs_as_a_script_in_its_folder(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "# A model"}]
    cells += [{"cell_type": "code", "source": text} for text in CELLS]
    (tmp_path / "inner").mkdir()
    path = tmp_path / "inner" / "train.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    named = command(["inner/train.ipynb", "--lr", "1"], PYTHON)
    assert named.arguments == (str(PYTHON), "train.ipynb.py", "--lr", "1")
    assert (named.folder, named.notebook) == (path.parent, named.notebook)
    assert named.notebook is not None
    lines = named.notebook.script.splitlines()
    compile(named.notebook.script, "train.ipynb.py", "exec")
    at = At(path, lines.index("z = y.upper()") + 1, named.notebook)
    assert at.shown == "train.ipynb, cell 4, line 2"
    assert at.text == "z = y.upper()"
    text = path.read_text().splitlines()
    assert "y = 2\\nz = y.upper()" in text[at.spot().line - 1]
    assert at.spot().cell == "cell 4, line 2, column 1"


def test_wrong_use_ends_with_2() -> None:
    done = CliRunner().invoke(main, ["rehearse", "none.py"])
    assert done.exit_code == 2


def test_an_interpreter_without_trl_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(main, ["rehearse", "train.py"])
    assert done.exit_code == 2
    assert "is not installed" in done.output
