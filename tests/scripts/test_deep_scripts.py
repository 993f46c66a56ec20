"""A script whose syntax is nested deeper than Python can follow: rules say so, and none crashes."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trl_doctor.commands.cli import main

SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
rows = load_dataset("json", data_files="rows.jsonl", split="train"){}
SFTTrainer(model="org/m", args=SFTConfig("out"), train_dataset=rows).train()
"""


def test_a_long_chain_of_calls_is_not_examined(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    command = ["check", str(script), "--level", "files", "--with", "trl==1.16.0", "--verbose"]
    for count, nested in ((40, False), (800, True)):
        script.write_text(SCRIPT.format(".shuffle()" * count))
        output = " ".join(CliRunner().invoke(main, command).output.split())
        assert ("nested more than" in output) is nested, output
        assert "RecursionError" not in output
