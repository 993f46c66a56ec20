"""Keys of a dictionary that a script hands to its own functions, and that none of them reads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

CHATS = [
    {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]}
] * 4
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


class Tool:
    def __init__(self, config):
        self.config = config

    def prepared(self):
        rows = load_dataset("json", data_files=self.config["rows"], split="train")
        return PARTED

    def run(self):
        args = SFTConfig(self.config["out"], max_steps=self.config.get("steps", 1), MORE
                         report_to="none", save_strategy="no", use_cpu=True, bf16=False)
        trainer = SFTTrainer("model", args=args, train_dataset=self.prepared())
        trainer.train()
        labels = next(iter(trainer.get_train_dataloader()))["labels"]
        print("rate:", args.learning_rate, "whole:", bool((labels != -100).all()))


Tool({"rows": "rows.jsonl", "out": "out", "steps": 1, KEY}).run()
"""


HALVES = (
    "rows.map(lambda row: {'prompt': row['messages'][:-1], 'completion': row['messages'][-1:]}, "
    "remove_columns=['messages'])"
)


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize(
    ("key", "more", "parted", "says", "told"),
    [
        ("'learning_rate': 1e-6", "", False, "rate: 2e-05", "learning_rate (1e-06)"),
        ("'learning_rate': 1e-6", "learning_rate=self.config['learning_rate'],", False,
         "rate: 1e-06", ""),
        ("'train_on_responses_only': True", "", False, "whole: True",
         "train_on_responses_only (True)"),
        ("'train_on_responses_only': True", "", True, "whole: False", ""),
    ],
)  # fmt: skip
def test_a_key_that_nothing_reads(
    environment: str,
    key: str,
    more: str,
    parted: bool,
    says: str,
    told: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CHATS))
    text = (
        SCRIPT.replace("MORE", more)
        .replace("PARTED", HALVES if parted else "rows")
        .replace("KEY", key)
    )
    (tmp_path / "train.py").write_text(text)
    done = ran(python, "train.py", cwd=tmp_path)
    assert says in done.stdout, done.stderr[-2000:]

    outcomes = checks(tmp_path / "train.py", python, "--level", "files", statuses=(0, 1))
    found = outcomes["argument-never-read"]["findings"]
    assert [told in finding["message"] for finding in found] == ([True] if told else [])
