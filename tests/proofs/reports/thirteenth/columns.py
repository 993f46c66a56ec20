"""Threads that searches drawn by a seed found: questions with a loss, a name, a collator."""

from reports.report import ASKED, CHATS, PROMPTS, Report, changed, rows

WHOLE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="openr1.jsonl", split="train")

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=SFTConfig(
        output_dir="OpenR1-Distill",
        learning_rate=5e-5,
        max_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
first = (batch["labels"][0] != -100).nonzero()[0].item()
print("the loss begins at token", first)
"""
SPLIT = """\
dataset = dataset.map(
    lambda row: {"prompt": row["messages"][:-1], "completion": row["messages"][-1:]},
    remove_columns=dataset.column_names,
)
"""
COURSE = """\
# GRPO in TRL, after the unit of the course
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="tldr.jsonl", split="train")


def reward_len(completions, **kwargs):
    return [-abs(50 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="output",
    num_generation=2,
    per_device_train_batch_size=2,
    max_completion_length=8,
    max_steps=1,
    learning_rate=1e-4,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model", args=training_args, train_dataset=dataset, reward_funcs=reward_len
)
trainer.train()
"""
ASKS = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import RLOOConfig, RLOOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
dataset = load_dataset("json", data_files="questions.jsonl", split="train")


def ask(features):
    texts = [f"Question: {one['question']}\\nAnswer:" for one in features]
    return tokenizer(texts, padding=True, return_tensors="pt")


trainer = RLOOTrainer(
    config=RLOOConfig(
        output_dir="rloo-questions",
        learning_rate=1e-5,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        rloo_k=2,
        total_episodes=4,
        response_length=8,
        num_sample_generations=0,
        stop_token="eos",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    processing_class=tokenizer,
    policy=AutoModelForCausalLM.from_pretrained("model"),
    ref_policy=AutoModelForCausalLM.from_pretrained("model"),
    reward_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    train_dataset=dataset,
    eval_dataset=dataset,
    data_collator=ask,
)
trainer.train()
"""
BEFORE = """\
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(f"Question: {row['question']}\\nAnswer:")["input_ids"]},
    remove_columns=dataset.column_names,
)
"""
QUESTIONS = rows(*({"question": asked} for asked in ASKED))
REPORTS = (
    Report(
        "huggingface/open-r1#517",
        "current",
        "the loss begins at token 0",
        "assistant_only_loss|completion_only_loss|loss.{0,60}(prompt|question|instruction|user)"
        "|(prompt|question|instruction|user).{0,60}loss",
        {"train.py": WHOLE, "openr1.jsonl": CHATS},
        changed(WHOLE, ('split="train")\n', f'split="train")\n{SPLIT}')),
        level="",
    ),
    Report(
        "huggingface/course#1123",
        "current",
        "unexpected keyword argument 'num_generation'",
        "num_generation\\b",
        {"train.py": COURSE, "tldr.jsonl": PROMPTS},
        changed(COURSE, ("num_generation=2", "num_generations=2")),
        level="files",
    ),
    Report(
        "huggingface/trl#2354",
        "ppo-first",
        "should supply an encoding",
        "collat",
        {"train.py": ASKS, "questions.jsonl": QUESTIONS},
        changed(
            ASKS,
            ('split="train")\n', f'split="train")\n{BEFORE}'),
            ("    data_collator=ask,\n", ""),
        ),
        level="files",
    ),
)
