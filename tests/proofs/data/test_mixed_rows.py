"""Rows that become one row: whether the last one sees the first, and the report of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "padding-free-mixes-rows"
SCRIPT = """\
import json, sys
from datasets import Dataset
from trl import SFTConfig, SFTTrainer
said = json.load(open("run.json"))
said.pop("trainer"), said.pop("model_name_or_path")
rows = Dataset.from_list([{"text": f"the cat sat on mat {number}"} for number in range(8)])
args = SFTConfig("out", report_to="none", use_cpu=True, **said)
trainer = SFTTrainer("model", args, train_dataset=rows)
batch = next(iter(trainer.get_train_dataloader()))
def answered(batch):
    given = {name: value.clone() for name, value in batch.items()}
    return trainer.compute_loss(trainer.model, given, return_outputs=True)[1].logits[0, -1]
before = answered(batch)
batch["input_ids"][0, 1] += 1
print("ROWS", len(batch["input_ids"]), "SEES", bool((answered(batch) != before).any()))
"""
RUN = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "bf16": False,
    "max_length": 64,
    "per_device_train_batch_size": 2,
}


def outcome(folder: Path, python: Path, *keys: str) -> tuple[bool, list[str]]:
    """Whether the last row sees the first in the real trainer, and what the doctor reports."""
    (folder / "model").symlink_to(ROOT / "fixtures/models/healthy")
    (folder / "run.json").write_text(json.dumps(RUN | dict.fromkeys(keys, True)))
    process = ran(python, "-c", SCRIPT, cwd=folder)
    assert "ROWS 1" in process.stdout, process.stderr[-2000:]
    check = checks(folder / "run.json", python, "--level", "files", statuses=(0, 1, 3))[RULE]
    return "SEES True" in process.stdout, [finding["message"] for finding in check["findings"]]


@pytest.mark.parametrize("key", ["padding_free", "packing"])
@pytest.mark.environment("grpo-shapes")
def test_rows_of_older_releases_see_each_other(
    tmp_path: Path, interpreter: Interpreter, key: str
) -> None:
    sees, (message,) = outcome(tmp_path, interpreter("grpo-shapes"), key)
    assert sees and message.startswith(f"{key} without flash attention")


@pytest.mark.parametrize("key", ["padding_free", "packing"])
@pytest.mark.environment("four")
def test_rows_of_newer_releases_are_apart(
    tmp_path: Path, interpreter: Interpreter, key: str
) -> None:
    assert outcome(tmp_path, interpreter("four"), key) == (False, [])
