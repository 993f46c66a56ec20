"""A script of many functions is examined in a time that grows with its length, not its square."""

from __future__ import annotations

import time
from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

FUNCTION = """\
def prepare_{0}(row, limit=8):
    text = row["text"].strip()
    parts = [part for part in text.split(" ") if len(part) < limit]
    return {{"text": " ".join(parts), "count": len(parts), "first": parts[0]}}
"""

TRAIN = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
rows = load_dataset("org/rows", split="train")
SFTTrainer(model="org/m", args=SFTConfig("out"), train_dataset=rows).train()
"""


def seconds(folder: Path, functions: int) -> float:
    """The processor time of a check of a script with so many functions."""
    script = folder / f"train_{functions}.py"
    script.write_text("\n".join(FUNCTION.format(at) for at in range(functions)) + TRAIN)
    command = ["check", str(script), "--level", "files", "--offline", "--with", "trl==1.16.0"]
    start = time.process_time()
    output = CliRunner().invoke(main, command).output
    assert "org/m" in output, output
    return time.process_time() - start


def test_a_long_script_takes_as_long_as_its_parts(tmp_path: Path) -> None:
    seconds(tmp_path, 5)
    assert seconds(tmp_path, 800) < 7 * seconds(tmp_path, 200)
