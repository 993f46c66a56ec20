"""Rows in which a collator draws tokens: noise in what is read, and none in what is learned."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """\
import torch
from datasets import Dataset
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
drawn = torch.Generator().manual_seed(0)


def noisy(rows):
    ids = [torch.tensor(row["input_ids"]) for row in rows]
    batch = pad_sequence(ids, batch_first=True, padding_value=tokenizer.pad_token_id)
    mask = pad_sequence([torch.ones_like(one) for one in ids], batch_first=True)
    hit = (torch.rand(batch.shape, generator=drawn) < {share}) & (mask == 1)
    other = torch.randint(0, 256, batch.shape, generator=drawn)
    return {{"input_ids": torch.where(hit, other, batch), "attention_mask": mask,
            "labels": batch.masked_fill(mask == 0, -100)}}


def said(role, text):
    return {{"role": role, "content": text}}


rows = Dataset.from_list([
    {{"messages": [said("user", f"What is {{n}} plus {{n * 7}}?"),
                  said("assistant", f"It is {{n * 8}}, " + "as I have told you, " * (n % 5))]}}
    for n in range(16)
])
trainer = SFTTrainer(
    model=model, train_dataset=rows, data_collator=noisy, processing_class=tokenizer,
    args=SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                   bf16=False, report_to="none", save_strategy="no", learning_rate=1e-3),
)
trainer.train()
"""
NEVER = {
    "step-loss-depends-on-batch",
    "step-rows-have-text-outside-turns",
    "step-labels-of-other-places",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize("share", [0.15, 0.6])
def test_noise_in_the_rows_is_no_mistake(
    environment: str, share: float, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(SCRIPT.format(share=share))
    _, report = rehearsal(tmp_path, python, "train.py")
    assert not NEVER & set(findings_by_rule(report)), findings_by_rule(report)
