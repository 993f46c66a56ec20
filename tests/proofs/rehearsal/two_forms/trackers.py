"""Names of trackers that transformers does not know; a rehearsal trains without trackers."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_dict({"text": [f"It is {n}.<|im_end|>" for n in range(8)]})
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", max_steps=1, use_cpu=True, bf16=False, save_strategy="no",
        report_to=WRONG,  #~bad
        report_to="none",  #~good
    ),
    train_dataset=rows,
)
trainer.train()
print("TRAINED")
"""

SCRIPTS = tuple(
    TwoForms(f"{environment} reports to {wrong}", environment, "training-tracker-unknown",
             SCRIPT.replace("WRONG", wrong), "is not supported, only azure_ml", "TRAINED",
             says=says)
    for environment, wrong, says in (
        ("current", "None", "report_to is None"),
        ("four", '"wandb,tensorboard"', "report_to is 'wandb,tensorboard'"),
        ("grpo-first", '["none", "wandb"]', "report_to has 'none'"),
    )
)  # fmt: skip
