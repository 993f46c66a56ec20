"""Answers that a limit of the prompt cuts are reported; after the fix the same run keeps them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "argument-prompt-limit-cuts-answers"
TRAIN = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import {0}Config, {0}Trainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = {0}Config(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False, save_strategy="no", max_length=128)
trainer = {0}Trainer("model", args=args, train_dataset=rows,
                     processing_class=AutoTokenizer.from_pretrained("model"))
batch = next(iter(trainer.get_train_dataloader()))
trained = [(row != -100).sum().item() for name in {1} for row in batch[name + "_labels"]]
print("row", batch["{2}_labels"].shape[1], "trained", min(trained))
trainer.train()
"""
LONG, SHORT = " ".join(["good"] * 130), " ".join(["good"] * 40)
KTO = [{"prompt": "Is it?", "completion": text, "label": True} for text in (LONG, SHORT)]
ORPO = [{"prompt": "Is it?", "chosen": LONG, "rejected": SHORT}] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "trainer", "sides", "rows"),
    (("four", "KTO", ("completion",), KTO), ("grpo-first", "ORPO", ("chosen", "rejected"), ORPO)),
)
def test_answers_become_empty_in_rows_that_are_too_long(
    environment: str,
    trainer: str,
    sides: tuple[str, ...],
    rows: list[dict[str, object]],
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = tmp_path / "train.py"
    file.write_text(TRAIN.format(trainer, sides, sides[0]))
    longest, fewest = trained(python, tmp_path)
    assert longest > 128
    assert fewest < 2
    flags = ("--level", "files", "--select", RULE, "--fix", "--unsafe-fixes")
    checks(file, python, *flags, statuses=(0, 1, 3))
    assert "max_prompt_length=64" in file.read_text()
    longest, fewest = trained(python, tmp_path)
    assert longest <= 128
    assert fewest > 60


def trained(python: Path, folder: Path) -> tuple[int, int]:
    """The length of the longest row, and the fewest trained tokens of an answer."""
    process = ran(python, "train.py", cwd=folder)
    assert process.returncode == 0, process.stderr[-2000:]
    match = re.search(r"row (\d+) trained (\d+)", process.stdout)
    assert match, process.stdout
    return int(match[1]), int(match[2])
