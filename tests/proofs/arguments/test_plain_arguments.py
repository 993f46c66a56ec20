"""What SFTTrainer does with TrainingArguments, and with what a script sets on a config later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULES = ("argument-unknown", "argument-gone-from-trl", "argument-config-of-other-class")
SCRIPT = """\
from dataclasses import dataclass
from datasets import load_dataset
from transformers import TrainingArguments
from trl import SFTConfig, SFTTrainer


@dataclass
class Own(TrainingArguments):
    packing: bool = False


args = {config}(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False{more})
{later}
trainer = SFTTrainer(model="model", args=args,
                     train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"))
trainer.train()
"""
CASES = {
    "max_length": ("TrainingArguments", ", max_length=64", "", "TrainingArguments takes no max_le"),
    "its own config": ("SFTConfig", ", max_length=64", "", ""),
    "a field of both": ("Own", ", packing=False", "", ""),
    "set later": ("SFTConfig", "", "args.mine = 3", ""),
}


@pytest.mark.parametrize("environment", ("four", "current"))
@pytest.mark.parametrize("case", CASES)
def test_what_is_refused(
    environment: str, case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    config, more, later, says = CASES[case]
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps({'text': 'The sea was calm.'})}\n" * 4)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(config=config, more=more, later=later))
    process = ran(python, script.name, cwd=tmp_path)
    outcomes = checks(script, python, "--level", "files")
    found = [finding for rule in RULES for finding in outcomes[rule]["findings"]]
    if says:
        assert "unexpected keyword argument 'max_length'" in process.stderr
        assert [finding["severity"] for finding in found] == ["error"]
        assert says in found[0]["message"]
        assert "TrainingArguments refuses it" in found[0]["evidence"][0]
    else:
        assert process.returncode == 0, process.stderr[-1000:]
        assert not found
