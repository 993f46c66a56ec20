"""What a shell gives a script, compared with what a check says of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """\
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--lora", type=bool, default=True)
options = parser.parse_args()
rate = os.environ.get("LR", "1e-3")
print("GETS", rate, options.lora)
if "ONLY_VALUES" not in os.environ:
    from trl import SFTConfig, SFTTrainer

    SFTTrainer("org/m", args=SFTConfig("out", learning_rate=float(rate)))
"""
OPTIONS = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")


@pytest.mark.parametrize(
    ("lines", "gets", "reported"),
    [
        ("LR=2e-5\npython train.py", "1e-3 True", "LR is set, but not exported"),
        ("export LR=2e-5\npython train.py", "2e-5 True", ""),
        ("export LR\nLR=2e-5\npython train.py", "2e-5 True", ""),
        ("set -ea\nLR=2e-5\npython train.py", "2e-5 True", ""),
        ("LR=2e-5 python train.py", "2e-5 True", ""),
        ("LR=2e-5\nbash -c 'python train.py'", "1e-3 True", "LR is set, but not exported"),
        ("LR=2e-5\nLR=3e-5 python train.py", "3e-5 True", ""),
        ("python train.py --lora False", "1e-3 True", "--lora False counts as true"),
        ("python train.py --lora=no", "1e-3 True", "--lora no counts as true"),
        ("python train.py --lora ''", "1e-3 False", ""),
    ],
)
def test_the_script_gets_the_values_of_the_check(
    lines: str, gets: str, reported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LR", raising=False)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "run.sh").write_text(f"#!/bin/bash\n{lines}\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    variables = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "ONLY_VALUES": "1"}
    done = subprocess.run(["bash", "run.sh"], capture_output=True, text=True, env=variables)
    assert done.stdout == f"GETS {gets}\n"
    output = CliRunner().invoke(main, ["check", "run.sh", *OPTIONS, "-o", "concise"]).output
    wrong = [words for words in ("not exported", "counts as true") if words in output]
    assert bool(wrong) == bool(reported), output
    assert reported in output
