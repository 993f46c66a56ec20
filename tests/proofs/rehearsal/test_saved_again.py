"""A script that saves into the folder of an earlier run, whose files are large."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
trainer = SFTTrainer(
    "models/healthy", processing_class=tok, train_dataset=Dataset.from_dict({"text": ["One."] * 8}),
    args=SFTConfig(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False),
)
trainer.train()
trainer.save_model("final")
model = AutoModelForCausalLM.from_pretrained("final")
tok.save_pretrained("final")
model.save_pretrained("final")
print(AutoTokenizer.from_pretrained("final").eos_token)
"""
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
LARGE = 2 * 1024**2
"""Bytes of a file that a rehearsal links in place of copying it."""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "grpo-first"])
def test_what_an_earlier_run_has_saved_is_replaced_in_the_copy_only(
    environment: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    final = tmp_path / "final"
    shutil.copytree(ROOT / "fixtures/models/healthy", final)
    (final / "model.safetensors").unlink(missing_ok=True)
    tokenizer = final / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8") + " " * LARGE, "utf-8")
    for name in SHARDS:
        (final / name).write_bytes(b"0" * LARGE)
    index = {"metadata": {}, "weight_map": {"lm_head.weight": SHARDS[0]}}
    (final / "model.safetensors.index.json").write_text(json.dumps(index))
    before = {file.name: file.stat().st_size for file in final.iterdir()}
    (tmp_path / "train.py").write_text(SCRIPT)
    status, report = rehearsal(tmp_path, interpreter(environment), "train.py")
    assert status == 0, report
    assert {file.name: file.stat().st_size for file in final.iterdir()} == before


ADDED = """\
import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
model.add_adapter(LoraConfig(r=4, target_modules=["q_proj"], task_type="CAUSAL_LM"))
trainer = SFTTrainer(
    model, processing_class=AutoTokenizer.from_pretrained("models/healthy"),
    train_dataset=Dataset.from_dict({"text": [f"What is {n}? A number." for n in range(16)]}),
    args=SFTConfig(output_dir="out", max_steps=2, report_to="none", use_cpu=True, bf16=False,
                   learning_rate=1e-3, save_strategy="no"),
)
trainer.train()
trainer.save_model("final")
again = AutoModelForCausalLM.from_pretrained("final", dtype="float32")
again = dict(again.named_parameters())
same = [torch.equal(weight, again[name]) for name, weight in model.named_parameters()]
print("SAME", all(same), sum("lora_A" in name for name in again))
"""


@pytest.mark.slow
def test_an_adapter_that_transformers_adds_is_saved(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(ADDED)
    assert "SAME True 2" in ran(python, "train.py", cwd=tmp_path).stdout
    status, report = rehearsal(tmp_path, python, "train.py")
    by_rule = findings_by_rule(report)
    assert status == 0 and "saved-model-does-not-load" not in by_rule, by_rule
