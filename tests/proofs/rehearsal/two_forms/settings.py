"""Settings that no trainer reads, or that it refuses, in two forms."""

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


REFUSED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_dict({"text": [f"It is {n}.<|im_end|>" for n in range(8)]})
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", num_train_epochs=1, use_cpu=True, bf16=False, save_strategy="no",
        WRONG,  #~bad
        RIGHT,  #~good
    ),
    train_dataset=rows,
)
trainer.train()
print("TRAINED")
"""

TRACKER, NONE = "training-tracker-unknown", "argument-is-none"
ATTENTION = "argument-attention-unknown"
UNKNOWN = "is not supported, only azure_ml"

REFUSED_VALUES = tuple(
    TwoForms(f"{environment} gets {wrong}", environment, rule,
             REFUSED.replace("WRONG", wrong).replace("RIGHT", right), shows, "TRAINED",
             says=says)
    for environment, rule, wrong, right, shows, says in (
        ("current", TRACKER, "report_to=None", 'report_to="none"', UNKNOWN, " is None"),
        ("four", TRACKER, 'report_to="wandb,tensorboard"', "report_to=[]", UNKNOWN,
         "is 'wandb,tensorboard'"),
        ("grpo-first", TRACKER, 'report_to=["none", "wandb"]', 'report_to=["none"]', UNKNOWN,
         "has 'none'"),
        ("current", NONE, "max_steps=None", "max_steps=1", "NoneType", " is None"),
        ("four", NONE, "per_device_train_batch_size=None", "per_device_train_batch_size=2",
         "NoneType", " is None"),
        ("current", ATTENTION, 'model_init_kwargs={"attn_implementation": "flash_attention"}',
         'model_init_kwargs={"attn_implementation": "sdpa"}', "The only possible arguments",
         "which transformers does not know"),
        ("grpo-first", NONE, "eval_strategy=None", 'eval_strategy="no"',
         "None is not a valid IntervalStrategy", " is None"),
    )
)  # fmt: skip

SCRIPTS = (
    limited("current"),
    limited("four"),
    limited("grpo-first", "max_seq_length"),
    *REFUSED_VALUES,
)
