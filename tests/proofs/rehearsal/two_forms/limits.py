"""Limits that a script sets where no trainer reads them, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

ON_TOKENIZER = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.model_max_length = 32
texts = [f"{n}: " + "one, two, three, " * 10 for n in range(4)]
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
        max_length=32,  #~good
        save_strategy="no", use_cpu=True, bf16=False,
    ),
    train_dataset=Dataset.from_dict({"text": texts}),
    processing_class=tokenizer,
)
trainer.train()
print("AT MOST 32", max(len(row["input_ids"]) for row in trainer.train_dataset) <= 32)
"""


def limited(environment: str, key: str = "max_length") -> TwoForms:
    """The script in an environment whose trainer calls its own limit so."""
    return TwoForms(
        f"a limit is on the tokenizer ({environment})", environment, "tokenizer-limit-not-read",
        ON_TOKENIZER.replace("max_length=32", f"{key}=32"), "AT MOST 32 False", "AT MOST 32 True",
        severity="warning", says=f"rows are cut at {key} 1024, its default",
    )  # fmt: skip


SCRIPTS = (limited("current"), limited("four"), limited("grpo-first", "max_seq_length"))
