"""Notebooks whose training is a shell line: what to name instead; files that cells write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.source.reading import read_source
from trl_doctor.files.source.started import elsewhere, files_of
from trl_doctor.files.source.text import Piece


def cells(*texts: str) -> list[Piece]:
    return [Piece(Path("t.ipynb"), text, index, index + 1) for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    "texts, says",
    [
        (("!pip install trl", "x = 1\n!python train.py --x 1"),
         "cell 2, line 2 starts `python train.py --x 1`: name it: "
         "trl-doctor rehearse -- python train.py --x 1"),
        (("%run train.py",),
         "cell 1, line 1 starts `python train.py`: name it: "
         "trl-doctor rehearse -- python train.py"),
        (("%%bash\naccelerate launch \\\n  t.py",),
         "cell 1, line 2 starts `accelerate launch t.py`: name it: "
         "trl-doctor rehearse -- accelerate launch t.py"),
        (("%%writefile t.py\nimport trl", "!python t.py"),
         "cell 2, line 1 starts `python t.py`: name it once t.py is saved as a file: "
         "trl-doctor rehearse -- python t.py"),
        (("!cat train.py\n!nvidia-smi", "%matplotlib inline\ntrain('a.py')"), ""),
    ],
)  # fmt: skip
def test_a_line_that_starts_the_training(texts: tuple[str, ...], says: str) -> None:
    assert elsewhere(cells(*texts)) == says


def test_a_script_is_no_notebook() -> None:
    assert elsewhere([Piece(Path("t.py"), "!python train.py")]) == ""


def test_files_that_cells_write() -> None:
    files = files_of(cells("%%writefile a.py\nx = 1", "%%writefile -a a.py\ny = 2\n",
                           "%%writefile ../b.py\nz", "%%bash\nls"))  # fmt: skip
    assert files == {"a.py": "x = 1\ny = 2\n"}


SCRIPT = """%%writefile train.py
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=1e-5)
rate = parser.parse_args().rate
args = SFTConfig('out',
                 max_seq_length=5, learning_rate=rate)
SFTTrainer('./m', args=args).train()
"""


def notebook(*texts: str) -> str:
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(True)}
            for text in texts]  # fmt: skip
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@pytest.mark.parametrize("start", ["accelerate launch --num_processes 2", "python", "torchrun"])
def test_a_script_that_a_cell_writes_and_another_starts(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = notebook("!pip install trl", SCRIPT, f"!{start} train.py --rate 2.0")
    Path("a.ipynb").write_text(text)
    options = ["check", "a.ipynb", "--with", "trl==1.16.0", "--with", "transformers==5.23.0"]
    output = CliRunner().invoke(main, [*options, "-o", "concise"]).output
    assert "a.ipynb:cell 2:8:18: error argument-gone-from-trl" in output
    assert "a.ipynb:cell 2:8:36: warning argument-learning-rate-too-large" in output
    assert "repaired: rename" in CliRunner().invoke(main, [*options, "--fix"]).output
    assert Path("a.ipynb").read_text() == text.replace("max_seq_length", "max_length")


def test_a_notebook_that_makes_a_trainer_itself_is_read_itself() -> None:
    own = "from trl import DPOTrainer\nDPOTrainer('./m')"
    read = read_source(Path("a.ipynb"), notebook(SCRIPT, own, "!python train.py").encode())
    assert [made.short for made in read.made] == ["DPOTrainer"]
