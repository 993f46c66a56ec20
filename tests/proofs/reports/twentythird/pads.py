"""Threads of a twenty-third list: a token to pad with that a file or an object does not have."""

import json
from typing import Any

from reports.report import CHOICES, PREFERENCES, ROOT, Report, changed

MODEL = ROOT / "fixtures/models/healthy"


def without_pad(*names: str) -> dict[str, str]:
    """These files of a model, without a token to pad with."""
    files = {}
    for name in names:
        keys: dict[str, Any] = json.loads((MODEL / name).read_text())
        kept = {key: value for key, value in keys.items() if not key.startswith("pad_token")}
        files[f"model/{name}"] = json.dumps(kept)
    return files


PREFERRED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")

dpo_trainer = DPOTrainer(
    model,
    ref_model,
    args=DPOConfig(
        output_dir="dpo",
        beta=0.1,
        max_steps=2,
        per_device_train_batch_size=2,
        max_length=128,
        max_prompt_length=64,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
dpo_trainer.train()
"""
REWARD_MODEL = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
tokenizer = AutoTokenizer.from_pretrained("model")
# llama has no token to pad with
if tokenizer.pad_token_id is None:
    if tokenizer.unk_token_id is not None:
        tokenizer.pad_token = tokenizer.unk_token
    else:
        tokenizer.pad_token = tokenizer.eos_token

trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="reward.jsonl", split="train"),
    args=RewardConfig(
        output_dir="outputs-rm-v1",
        max_length=128,
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#1152",
        "grpo-first",
        r"padding_value|pad_token",
        r"pad_token|padding_value|token to pad",
        {
            "train.py": PREFERRED,
            "pairs.jsonl": PREFERENCES,
            **without_pad("config.json", "tokenizer_config.json", "generation_config.json"),
        },
        changed(
            PREFERRED,
            (
                'AutoTokenizer.from_pretrained("model")\n',
                'AutoTokenizer.from_pretrained("model")\n'
                "tokenizer.pad_token = tokenizer.eos_token\n",
            ),
        ),
    ),
    Report(
        "shibing624/MedicalGPT#417",
        "grpo-first",
        "Cannot handle batch sizes > 1 if no padding token is defined",
        r"pad_token_id|padding token",
        {
            "train.py": REWARD_MODEL,
            "reward.jsonl": CHOICES,
            **without_pad("config.json", "tokenizer_config.json", "generation_config.json"),
        },
        changed(
            REWARD_MODEL,
            (
                "tokenizer.pad_token = tokenizer.eos_token\n",
                "tokenizer.pad_token = tokenizer.eos_token\n"
                "model.config.pad_token_id = tokenizer.pad_token_id\n",
            ),
        ),
        level="",
    ),
)
