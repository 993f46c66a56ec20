"""Answers that end with the user, or stand behind another answer, are trained as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import load_dataset
from trl import {0}Config, {0}Trainer

args = {0}Config(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False)
rows = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = {0}Trainer(model="model", args=args, train_dataset=rows)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
for name, ids in batch.items():
    if name.endswith("input_ids"):
        print(trainer.processing_class.batch_decode(ids))
"""
ASKED = {"role": "user", "content": "Count to five."}
ANSWERED = {"role": "assistant", "content": "One, two."}
CASES = [
    ("SFT", {"prompt": [ASKED], "completion": [{**ANSWERED, "role": "user"}]}),
    ("SFT", {"prompt": [{**ASKED, "role": "assistant"}], "completion": [ANSWERED]}),
    (
        "DPO",
        {"prompt": [{**ASKED, "role": "assistant"}], "chosen": [ANSWERED], "rejected": [ASKED]},
    ),
]
RIGHT = {"prompt": [ASKED], "completion": [ANSWERED], "chosen": [ANSWERED], "rejected": [ANSWERED]}


@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize(("trainer", "row"), CASES)
def test_an_answer_of_another_role_is_trained(
    environment: str,
    trainer: str,
    row: dict[str, list[dict[str, str]]],
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    for name, used in (("broken", row), ("right", {key: RIGHT[key] for key in row})):
        folder = tmp_path / name
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        (folder / "rows.jsonl").write_text((json.dumps(used) + "\n") * 8)
        (folder / "train.py").write_text(SCRIPT.format(trainer))
        real = ran(python, "train.py", cwd=folder)
        assert not real.returncode, real.stderr[-2000:]
        turns = [f"<|im_start|>{turn['role']}\\n{turn['content']}" for turn in used["prompt"]]
        assert turns[0] in real.stdout
        outcomes = checks(folder / "train.py", python, "--level", "files")
        found = outcomes["data-answers-of-other-role"]["findings"]
        assert bool(found) == (name == "broken")
