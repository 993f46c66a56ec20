"""Values that a trainer's constructor gets in wrong places, or does not get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

OTHER, MISSING = "argument-of-other-kind", "argument-not-given"
SCRIPT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

more = dict(max_steps=1, report_to="none", use_cpu=True, bf16=False, save_strategy="no")
rows = load_dataset("json", data_files="pairs.jsonl", split="train")
texts = rows.select_columns(["prompt"]).rename_column("prompt", "text")
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def score(completions, **kwargs):
    return [float(len(text)) for text in completions]


trainer = {call}
trainer.train()
"""
GRPO = "GRPOConfig('out', per_device_train_batch_size=2, num_generations=2, "
GRPO += "max_completion_length=4, **more)"
CASES = {
    "SFT": ("SFTTrainer(model, SFTConfig('out', **more), train_dataset=texts)", ""),
    "rows second": ("SFTTrainer(model, texts, SFTConfig('out', **more))", OTHER),
    "a tokenizer as rows": (
        "SFTTrainer(model, SFTConfig('out', **more), train_dataset=tokenizer)",
        OTHER,
    ),
    "a tokenizer as collator": (
        "SFTTrainer(model, SFTConfig('out', **more), tokenizer, texts)",
        OTHER,
    ),
    "SFT without rows": ("SFTTrainer(model, SFTConfig('out', **more))", MISSING),
    "DPO": (
        "DPOTrainer(model, None, DPOConfig('out', **more), train_dataset=rows, "
        "processing_class=tokenizer)",
        "",
    ),
    "a config as reference": (
        "DPOTrainer(model, DPOConfig('out', **more), train_dataset=rows, "
        "processing_class=tokenizer)",
        OTHER,
    ),
    "a model as tokenizer": (
        "DPOTrainer(model, None, DPOConfig('out', **more), train_dataset=rows, "
        "processing_class=model)",
        OTHER,
    ),
    "DPO without a model": (
        "DPOTrainer(args=DPOConfig('out', **more), train_dataset=rows, processing_class=tokenizer)",
        MISSING,
    ),
    "DPO without rows": (
        "DPOTrainer(model, None, DPOConfig('out', **more), processing_class=tokenizer)",
        MISSING,
    ),
    "GRPO": (f"GRPOTrainer(model, score, {GRPO}, rows, processing_class=tokenizer)", ""),
    "GRPO without rewards": (
        f"GRPOTrainer(model, args={GRPO}, train_dataset=rows, processing_class=tokenizer)",
        MISSING,
    ),
}


@pytest.mark.parametrize("environment", ("grpo-first", "four", "current"))
@pytest.mark.parametrize("case", CASES)
def test_what_the_constructor_gets(
    environment: str, case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    call, rule = CASES[case]
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    row = {"prompt": "What is seven?", "chosen": "A number.", "rejected": "A sea."}
    (tmp_path / "pairs.jsonl").write_text(f"{json.dumps(row)}\n" * 4)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(call=call))
    process = ran(python, script.name, cwd=tmp_path)
    outcomes = checks(script, python, "--level", "files")
    found = {name for name in (OTHER, MISSING) if outcomes[name]["findings"]}
    assert (process.returncode != 0) is bool(rule), process.stderr[-1500:]
    assert rule in found if rule else not found
