"""A script that evaluates without rows dies after its training; with rows it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "evaluation-without-data"
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer("models/healthy", args, train_dataset=rows)
trainer.train()
print("TRAINED")
print("EVALUATED", trainer.evaluate()["eval_loss"] > 0)
"""
ROWS = "".join(json.dumps({"text": f"It is {number} and one."}) + "\n" for number in range(12))
REMEDIES = {
    "rows for the trainer": ("train_dataset=rows", "train_dataset=rows, eval_dataset=rows"),
    "rows for the call": ("evaluate()", "evaluate(trainer.train_dataset)"),
    "rows that are set later": (
        'print("TRAINED")',
        'print("TRAINED")\ntrainer.eval_dataset = trainer.train_dataset',
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("remedy", ("", *REMEDIES))
def test_an_evaluation_that_a_script_asks_for(
    remedy: str, environment: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter(environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "rows.jsonl").write_text(ROWS)
    text = SCRIPT.replace(*REMEDIES[remedy]) if remedy else SCRIPT
    (tmp_path / "train.py").write_text(text)
    process = ran(python, "train.py", cwd=tmp_path)
    assert "TRAINED" in process.stdout, process.stderr[-2000:]
    assert ("EVALUATED True" in process.stdout) is bool(remedy)
    assert ("evaluation requires an eval_dataset" in process.stderr) is not bool(remedy)
    flags = ("--level", "files", "--select", RULE)
    found = checks(tmp_path / "train.py", python, *flags, statuses=(0, 1, 3))[RULE]["findings"]
    assert [finding["message"] for finding in found] == (
        [] if remedy else ["the script calls evaluate() of a trainer that gets no eval_dataset"]
    )
