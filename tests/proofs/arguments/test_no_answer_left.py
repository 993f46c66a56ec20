"""Prompts as long as a row may be: nothing of the answers is learned, and a check says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

PROMPT = " ".join(["The sea was calm and the road was long."] * 8)
ROWS = {
    "DPO": {"prompt": PROMPT, "chosen": " It was calm.", "rejected": " No."},
    "KTO": {"prompt": PROMPT, "completion": " It was calm.", "label": True},
    "SFT": {"prompt": PROMPT, "completion": " It was calm."},
}
SCRIPT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import {kind}Config, {kind}Trainer

model = AutoModelForCausalLM.from_pretrained("model").float()
args = {kind}Config(output_dir="out", max_length={length}, {more}max_steps=2, learning_rate=1e-3,
                 per_device_train_batch_size=2, report_to="none", save_strategy="no",
                 use_cpu=True, bf16=False)
start = {{name: weight.detach().clone() for name, weight in model.named_parameters()}}
trainer = {kind}Trainer(
    model=model,
    args=args,
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
print("MOVED", any(not weight.equal(start[name]) for name, weight in model.named_parameters()))
"""
KEEPS_START = 'max_prompt_length=None, truncation_mode="keep_start", '


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "kind", "more"),
    [
        ("current", "DPO", ""),
        ("current", "KTO", ""),
        ("current", "SFT", ""),
        ("ppo-last", "DPO", ""),
        ("ppo-last", "KTO", ""),
        ("ppo-last", "SFT", ""),
        ("four", "DPO", KEEPS_START),
        ("four", "SFT", ""),
        ("grpo-shapes", "DPO", KEEPS_START),
        ("grpo-shapes", "SFT", ""),
        ("grpo-first", "DPO", KEEPS_START),
        ("ppo-first", "DPO", ""),
    ],
)
def test_nothing_is_learned_of_the_answers(
    environment: str, kind: str, more: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(ROWS[kind])}\n" * 8)
    script = tmp_path / "train.py"
    for length in (64, 512):
        script.write_text(SCRIPT.format(kind=kind, more=more, length=length))
        process = ran(python, script.name, cwd=tmp_path)
        assert ("MOVED True" in process.stdout) is (length == 512), process.stderr[-2000:]
        outcome = checks(script, python, "--level", "files")["argument-length-leaves-no-answer"]
        assert len(outcome["findings"]) == (length == 64)
