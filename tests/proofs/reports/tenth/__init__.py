"""Threads that searches for errors and model families found: supervised and unpaired training."""

from dataclasses import replace

from reports.report import (
    CHATS,
    PAIRS,
    Report,
    changed,
    rows,
)
from reports.tenth import arguments, groups, recipes, roles, texts

MINUS_ONE = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, SFTConfig, SFTTrainer

if __name__ == "__main__":
    model_config = ModelConfig(model_name_or_path="model", torch_dtype="float32")
    training_args = SFTConfig(output_dir="sft-phi-3", max_steps=1, learning_rate=1e-5,
                              per_device_train_batch_size=2, report_to="none",
                              save_strategy="no", use_cpu=True)
    training_args.gradient_checkpointing_kwargs = dict(use_reentrant=False)
    tokenizer = AutoTokenizer.from_pretrained(model_config.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(
        model_config.model_name_or_path, torch_dtype=getattr(torch, model_config.torch_dtype)
    )

    class ChatDataCollator:
        def __init__(self, tokenizer):
            self.tokenizer = tokenizer

        def __call__(self, examples):
            texts = []
            for example in examples:
                texts.append(
                    self.tokenizer.apply_chat_template(example["messages"], tokenize=False)
                )
            batch = self.tokenizer(texts, return_tensors="pt", padding=True)
            labels = batch["input_ids"].clone()
            if self.tokenizer.pad_token_id is not None:
                labels[labels == self.tokenizer.pad_token_id] = -1
            batch["labels"] = labels
            return batch

    raw_datasets = load_dataset("json", data_files={"train": "rows.jsonl"})
    train_dataset = raw_datasets["train"]
    training_args.dataset_text_field = "text"
    training_args.remove_unused_columns = False
    training_args.dataset_kwargs = {"skip_prepare_dataset": True}
    trainer = SFTTrainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset,
        processing_class=tokenizer,
        data_collator=ChatDataCollator(tokenizer),
    )
    trainer.train()
"""
SMALL_EVAL = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")

train_dataset = load_dataset("json", data_files="train.jsonl", split="train")
eval_dataset = load_dataset("json", data_files="eval.jsonl", split="train")

args = SFTConfig(
    output_dir="sft",
    dataset_text_field="text",
    max_seq_length=256,
    packing=True,
    max_steps=2,
    per_device_train_batch_size=1,
    per_device_eval_batch_size=1,
    eval_strategy="steps",
    eval_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    tokenizer=tokenizer,
)
trainer.train()
"""
ADDED_SPACE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def format_example(row):
    return {
        "text": f"What is the correct answer to this question:{row['prompt']}\\n"
        f"Choices:\\nA\\nB\\nAnswer:{row['completion']}"
    }


dataset = dataset.map(format_example, remove_columns=["prompt", "completion"])
response_template = "Answer: "
collator = DataCollatorForCompletionOnlyLM(response_template, tokenizer=tokenizer)
trainer = SFTTrainer(
    model,
    train_dataset=dataset,
    args=SFTConfig(output_dir="gpqa", dataset_text_field="text", max_steps=1, logging_steps=1,
                   per_device_train_batch_size=2, max_seq_length=256, report_to="none",
                   save_strategy="no", use_cpu=True),
    processing_class=tokenizer,
    data_collator=collator,
)
trainer.train()
"""
CHOSEN = rows(
    *(
        {"prompt": a, "completion": f" {b}"}
        for (a, _), b in zip(PAIRS, ("the sea", "six", "five", "a boat"), strict=True)
    )
)
MANY = rows(*({"text": f"{a} {b} " * 6} for a, b in PAIRS * 6))
THREADS = (
    Report(
        "huggingface/trl#1802",
        "ppo-first",
        "Target -1 is out of bounds",
        "-1\\b.{0,80}(-100|label|mask|ignore)|(label|-100).{0,80}-1\\b",
        {"train.py": MINUS_ONE, "rows.jsonl": CHATS},
        changed(MINUS_ONE, ("] = -1\n", "] = -100\n")),
        level="",
    ),
    Report(
        "huggingface/trl#1343",
        "ppo-first",
        "at least yield one packed sequence",
        "eval_packing|evaluation.{0,80}(too (few|short|small)|pack)",
        {
            "train.py": SMALL_EVAL,
            "train.jsonl": MANY,
            "eval.jsonl": rows({"text": "How are you?"}, {"text": "Good."}),
        },
        changed(
            SMALL_EVAL, ("    packing=True,\n", "    packing=True,\n    eval_packing=False,\n")
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1920",
        "ppo-first",
        "Could not find response key|'loss': (nan|0.0)",
        "response.?template|trailing space",
        {"train.py": ADDED_SPACE, "rows.jsonl": CHOSEN},
        changed(ADDED_SPACE, ('"Answer: "', '"Answer:"')),
    ),
)
REPORTS = tuple(
    replace(report, group="tenth")
    for report in (
        *THREADS,
        *arguments.REPORTS,
        *groups.REPORTS,
        *recipes.REPORTS,
        *roles.REPORTS,
        *texts.REPORTS,
    )
)
