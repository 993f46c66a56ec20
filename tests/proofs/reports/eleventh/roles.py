"""Threads that searches for trainers with a symptom found: reward models and rarer trainers."""

from reports.report import PREFERENCES, Report, changed

COLLATED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("reward")
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)


class PairCollator:
    def __call__(self, features):
        batch = {"return_loss": True}
        for side in ("chosen", "rejected"):
            padded = tokenizer.pad(
                [
                    {name: one[f"{name}_{side}"] for name in ("input_ids", "attention_mask")}
                    for one in features
                ],
                return_tensors="pt",
            )
            batch |= {f"{name}_{side}": value for name, value in padded.items()}
        return batch


trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="reward-pairs",
        max_length=128,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        remove_unused_columns=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    data_collator=PairCollator(),
)
trainer.train()
"""
TOKENIZED = """\
def tokenized(row):
    both = {side: tokenizer(row["prompt"] + row[side]) for side in ("chosen", "rejected")}
    return {f"{name}_{side}": both[side][name] for side in both for name in both[side]}


dataset = load_dataset("json", data_files="rows.jsonl", split="train").map(tokenized)
trainer = RewardTrainer("""
ODDS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

max_seq_length = 256
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
alpaca_prompt = "### Instruction:\\n{}\\n\\n### Response:\\n"
EOS_TOKEN = tokenizer.eos_token


def format_prompt(sample):
    return {
        "prompt": alpaca_prompt.format(sample["prompt"]),
        "chosen": sample["chosen"] + EOS_TOKEN,
        "rejected": sample["rejected"] + EOS_TOKEN,
    }


dataset = load_dataset("json", data_files="rows.jsonl", split="train").map(format_prompt)
orpo_trainer = ORPOTrainer(
    model=model,
    train_dataset=dataset,
    tokenizer=tokenizer,
    args=ORPOConfig(
        max_length=max_seq_length,
        max_prompt_length=max_seq_length // 2,
        max_completion_length=max_seq_length // 2,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        beta=0.1,
        learning_rate=1e-4,
        logging_steps=1,
        optim="adamw_torch",
        lr_scheduler_type="linear",
        max_steps=1,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
orpo_trainer.train()
"""
HELD_OUT = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("reward")
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=0.5, seed=0)

trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="held-out",
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=dataset["train"],
)
trainer.train()
print(trainer.evaluate(dataset["test"]))
"""
REPORTS = (
    Report(
        "huggingface/trl#3101",
        "grpo-silent",
        "max_length.{0,40}(not associated|referenced before|is not defined)",
        "data_collator",
        {"train.py": COLLATED, "rows.jsonl": PREFERENCES},
        changed(
            COLLATED,
            ("trainer = RewardTrainer(", TOKENIZED),
            (
                'train_dataset=load_dataset("json", data_files="rows.jsonl", split="train")',
                "train_dataset=dataset",
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#1285",
        "four",
        "unexpected keyword argument 'tokenizer'",
        "processing_class|tokenizer\\b.{0,80}(argument|no longer|keyword|parameter)",
        {"train.py": ODDS, "rows.jsonl": PREFERENCES},
        changed(ODDS, ("    tokenizer=tokenizer,", "    processing_class=tokenizer,")),
    ),
    Report(
        "huggingface/trl#6115",
        "four",
        "No columns in the dataset match",
        "evaluate gets rows",
        {"train.py": HELD_OUT, "rows.jsonl": PREFERENCES},
        changed(
            HELD_OUT,
            ('=dataset["train"],\n', '=dataset["train"],\n    eval_dataset=dataset["test"],\n'),
            ('trainer.evaluate(dataset["test"])', "trainer.evaluate()"),
        ),
    ),
)
