"""Threads of a thirty-second list: pairs of answers."""

from reports.report import PREFERENCES, Report, changed

ITSELF = """\
# %% [markdown]
# # Alignment with DPO: six preferences

# %%
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

torch.manual_seed(42)
NAME = "model"
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForCausalLM.from_pretrained(NAME)

# %%
preferences = [
    {"prompt": "What is a list?", "chosen": " A sequence that can change.", "rejected": " Stuff."},
    {"prompt": "What is a tuple?", "chosen": " A fixed sequence.", "rejected": " No idea."},
    {"prompt": "What is a set?", "chosen": " Values without order.", "rejected": " Things."},
    {"prompt": "What is a dict?", "chosen": " Keys with values.", "rejected": " Who knows."},
    {"prompt": "Why test code?", "chosen": " To find faults early.", "rejected": " Because."},
    {"prompt": "Why use git?", "chosen": " To keep every version.", "rejected": " It is cool."},
]
train_ds = Dataset.from_list(preferences)

# %%
trainer = DPOTrainer(
    model=model,
    processing_class=tokenizer,
    args=DPOConfig(
        output_dir="dpo-notebook",
        beta=0.1,
        learning_rate=5e-3,
        lr_scheduler_type="constant",
        num_train_epochs=20,
        per_device_train_batch_size=2,
        logging_steps=5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train_ds,
)
trainer.train()


# %%
def log_prob(prompt, answer):
    ids = tokenizer(prompt + answer, return_tensors="pt")["input_ids"]
    start = len(tokenizer(prompt)["input_ids"])
    with torch.no_grad():
        logits = trainer.model(ids).logits[0, :-1].float().log_softmax(-1)
    steps = logits.gather(1, ids[0, 1:, None])[:, 0]
    return steps[start - 1 :].mean().item()


held_out = preferences
correct = sum(
    log_prob(one["prompt"], one["chosen"]) > log_prob(one["prompt"], one["rejected"])
    for one in held_out
)
print(f"preferences that are right: {correct} of {len(held_out)}")
known = {row["prompt"] for row in train_ds}
print("judged on what was trained:", all(one["prompt"] in known for one in held_out))
"""
SYNCED = """\
from dataclasses import dataclass

from datasets import load_dataset
from peft import LoraConfig
from trl import DPOConfig, DPOTrainer


@dataclass
class Recipe:
    model: str = "model"
    pairs: str = "pairs.jsonl"
    lora_r: int = 8
    lora_alpha: int = 16
    follow_reference: bool = True


def build(recipe):
    config = DPOConfig(
        output_dir="tr-dpo",
        sync_ref_model=recipe.follow_reference,
        ref_model_sync_steps=64,
        ref_model_mixup_alpha=0.6,
        per_device_train_batch_size=2,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    adapter = LoraConfig(
        r=recipe.lora_r,
        lora_alpha=recipe.lora_alpha,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return DPOTrainer(
        model=recipe.model,
        args=config,
        train_dataset=load_dataset("json", data_files=recipe.pairs, split="train"),
        peft_config=adapter,
    )


if __name__ == "__main__":
    build(Recipe()).train()
"""
REPORTS = (
    Report(
        "jsboige/CoursIA#12596",
        "current",
        "judged on what was trained: True",
        r"(judged|measured|tested|evaluated|scored|compared).{0,80}(train|same|learnt)"
        r"|held.out|memori[sz]|\bunseen\b|(never|not) (seen|trained)"
        r"|same (rows|pairs|data|examples|preferences)",
        {"train.py": ITSELF},
        changed(
            ITSELF,
            (
                "train_ds = Dataset.from_list(preferences)",
                "train_ds = Dataset.from_list(preferences[:4])",
            ),
            ("held_out = preferences\n", "held_out = preferences[4:]\n"),
        ),
    ),
    Report(
        "huggingface/trl#6975",
        "current",
        "sync_ref_model=True` while using a PEFT model",
        r"sync_ref_model",
        {"train.py": SYNCED, "pairs.jsonl": PREFERENCES},
        changed(SYNCED, ("follow_reference: bool = True", "follow_reference: bool = False")),
    ),
)
