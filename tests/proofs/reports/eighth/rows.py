"""Threads that plain searches gave: what a script makes of its rows."""

from reports.report import CHATS, PAIRS, Report, changed, rows

REMOVED = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("reward")
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def preprocess_function(examples):
    new_examples = {
        "input_ids_chosen": [], "attention_mask_chosen": [],
        "input_ids_rejected": [], "attention_mask_rejected": [],
    }
    columns = (examples[name] for name in ("input", "chosen", "rejected"))
    for prompt, chosen, rejected in zip(*columns):
        one = tokenizer(prompt + chosen, truncation=True, max_length=64)
        two = tokenizer(prompt + rejected, truncation=True, max_length=64)
        new_examples["input_ids_chosen"].append(one["input_ids"])
        new_examples["attention_mask_chosen"].append(one["attention_mask"])
        new_examples["input_ids_rejected"].append(two["input_ids"])
        new_examples["attention_mask_rejected"].append(two["attention_mask"])
    return new_examples


train_dataset = dataset.map(
    preprocess_function, batched=True, remove_columns=["input", "chosen", "rejected"]
)
training_args = RewardConfig(
    output_dir="reward-model",
    per_device_train_batch_size=2,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = RewardTrainer(
    model=model, args=training_args, train_dataset=train_dataset, processing_class=tokenizer
)
trainer.train()
"""
BASE_MODEL = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name_or_path = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name_or_path)
tokenizer.pad_token = tokenizer.eos_token
dataset = load_dataset("json", data_files="rows.jsonl", split="train")

training_args = SFTConfig(
    output_dir="data/Open-R1-Distill",
    learning_rate=2.0e-5,
    max_steps=1,
    packing=True,
    max_seq_length=64,
    per_device_train_batch_size=1,
    gradient_accumulation_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model_name_or_path,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
REPORTS = (
    Report(
        "lijiayi-ai/Qwen3-FineTuning-Playground#3",
        "current",
        "KeyError: 'chosen'",
        "chosen",
        {
            "train.py": REMOVED,
            "rows.jsonl": rows(
                *({"input": a, "chosen": f" {b}", "rejected": " No."} for a, b in PAIRS)
            ),
        },
        changed(
            REMOVED,
            ('remove_columns=["input", "chosen", "rejected"]', 'remove_columns=["input"]'),
        ),
        level="",
    ),
    Report(
        "huggingface/open-r1#85",
        "grpo-first",
        "chat_template is not set",
        "chat.?template",
        {"train.py": BASE_MODEL, "rows.jsonl": CHATS},
        changed(BASE_MODEL, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
        level="files",
        model={"tokenizer_config.json": {"chat_template": None}},
    ),
)  # fmt: skip
