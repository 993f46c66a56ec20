"""What a shell file uses where it is started without words, as bash does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """\
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
rate = parser.parse_args().rate
SFTTrainer("org/m", args=SFTConfig("out", learning_rate=rate))
"""
OPTIONS = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
LINES = {
    '[ -z "$R" ]': ("R=9", "9"),
    '[ "$R" == "" ]': ("R=9", "9"),
    "[[ -z $R ]]": ("R=9", "9"),
    '[ "$R" = "high" ]': ("R=9", ""),
    '[ "$3" = "" ]': ("R=9", ""),
}
"""Conditions about R, which the second word of the file gives; "" where the value stays open."""


@pytest.mark.parametrize("condition", LINES)
def test_the_value_that_stands_for_a_word_which_is_not_given(
    condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line, value = LINES[condition]
    shell = f"R=$2\nif {condition}; then\n  {line}\nfi\n"
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "run.sh").write_text(f"{shell}python train.py --rate $R\n")
    output = CliRunner().invoke(main, ["check", "run.sh", *OPTIONS, "-o", "concise"]).output
    assert ("learning_rate is 9" in output) == bool(value), output
    if value:
        done = subprocess.run(["bash", "-c", f"{shell}echo $R"], capture_output=True, text=True)
        assert done.stdout.strip() == value


def test_a_file_that_ends_without_its_word_is_not_taken_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    text = 'R=$1\nif [ -z "$R" ]; then\n  echo usage\n  exit 1\nfi\npython train.py --rate $R\n'
    (tmp_path / "run.sh").write_text(text)
    output = CliRunner().invoke(main, ["check", "run.sh", *OPTIONS, "-o", "concise"]).output
    assert "no line starts a training" not in output and "learning_rate" not in output
