"""Roles that the chat template does not know stand in the text that is trained, as they are."""

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


def score(completions, **kwargs):
    return [float(len(completion)) for completion in completions]


args = {0}Config(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False{1})
rows = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = {0}Trainer(model="model", args=args, train_dataset=rows{2})
trainer.train()
tokenizer = trainer.processing_class
"""
TRAINED = 'print(tokenizer.decode(trainer.train_dataset[0]["input_ids"]))\n'
ASKED = 'print(tokenizer.apply_chat_template(rows[0]["prompt"], tokenize=False))\n'
SCRIPTS = {
    "SFT": SCRIPT.format("SFT", "", "") + TRAINED,
    "GRPO": SCRIPT.format(
        "GRPO", ", num_generations=2, per_device_train_batch_size=2, max_completion_length=4",
        ", reward_funcs=score",
    ) + ASKED,
}  # fmt: skip
LAST = {"prompt": "user", "messages": "assistant"}
"""The role of the last message: releases up to 0.24.0 refuse a prompt that ends in another one."""


@pytest.mark.parametrize("trainer", SCRIPTS)
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize(("role", "right"), [("human", "user"), ("sytem", "system")])
def test_a_role_of_another_format_is_trained_as_it_is(
    environment: str, trainer: str, role: str, right: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    for name in (role, right):
        folder = tmp_path / name
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        asked = [{"role": name, "content": "Count to five."}]
        column = "prompt" if trainer == "GRPO" else "messages"
        row = {column: [*asked, {"role": LAST[column], "content": "Go on."}]}
        (folder / "rows.jsonl").write_text((json.dumps(row) + "\n") * 4)
        (folder / "train.py").write_text(SCRIPTS[trainer])
        real = ran(python, "train.py", cwd=folder)
        assert not real.returncode, real.stderr[-2000:]
        assert f"<|im_start|>{name}\n" in real.stdout
        outcomes = checks(folder / "train.py", python, "--level", "files")
        found = [each["message"] for each in outcomes["data-role-unknown"]["findings"]]
        assert [f"role '{role}' in" in message for message in found] == [True] * (name == role)
