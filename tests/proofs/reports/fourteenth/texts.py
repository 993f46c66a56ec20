"""Threads of TRL's own tracker: what a run of SFT makes of its texts."""

import json

from reports.report import CHATS, COMPLETIONS, TEXT, Report, changed

KEPT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def preprocess(row):
    question = tokenizer(row["prompt"])["input_ids"]
    answer = tokenizer(row["completion"])["input_ids"] + [tokenizer.eos_token_id]
    return {
        "input_ids": question + answer,
        "attention_mask": [1] * len(question + answer),
        "labels": [-100] * len(question) + answer,
        "logits_to_keep": len(answer) + 1,
    }


dataset = load_dataset("json", data_files="train.jsonl", split="train")
dataset = dataset.map(preprocess, remove_columns=["prompt", "completion"])


def collate(features):
    (one,) = features
    import torch

    batch = {k: torch.tensor([one[k]]) for k in ("input_ids", "attention_mask")}
    keep = one["logits_to_keep"]
    batch["labels"] = torch.tensor([one["labels"][-keep:]])
    batch["logits_to_keep"] = keep
    return batch


args = SFTConfig(
    output_dir="sft-keep",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=2,
    remove_unused_columns=False,
    dataset_kwargs={"skip_prepare_dataset": True},
    max_steps=1,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=dataset,
    data_collator=collate,
    processing_class=tokenizer,
)
trainer.train()
"""
ENDED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

training_args = SFTConfig(
    output_dir="sft-turns",
    eos_token="<|end_of_turn|>",
    max_length=256,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
first = trainer.train_dataset[0]["input_ids"]
print("the text ends with", tokenizer.convert_ids_to_tokens(first[-1]))
"""
MASKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token

training_args = SFTConfig(
    output_dir="Qwen-sft",
    max_seq_length=256,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=2e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("the end is learnt:", bool((batch["labels"] == tokenizer.eos_token_id).any()))
"""
NO_UNK = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": "<|im_end|>",
    "pad_token": "<|fim_pad|>",
    "unk_token": "<|endoftext|>",
    "model_max_length": 2048,
    "model_input_names": ["input_ids", "attention_mask"],
}
REPORTS = (
    Report(
        "huggingface/trl#4066",
        "four",
        "must match the size of tensor",
        "logits_to_keep",
        {"train.py": KEPT, "train.jsonl": COMPLETIONS},
        changed(
            KEPT,
            ('    keep = one["logits_to_keep"]\n', ""),
            ('[one["labels"][-keep:]]', '[one["labels"]]'),
            ('    batch["logits_to_keep"] = keep\n', ""),
        ),
    ),
    Report(
        "huggingface/trl#5482",
        "four",
        "the text ends with <\\|endoftext\\|>",
        "end_of_turn",
        {
            "train.py": ENDED,
            "texts.jsonl": TEXT,
            "model/tokenizer_config.json": json.dumps(NO_UNK),
        },
        changed(ENDED, ("<|end_of_turn|>", "<|im_end|>")),
    ),
    Report(
        "huggingface/trl#3200",
        "grpo-first",
        "the end is learnt: False",
        "pad.{0,80}eos|eos.{0,80}pad",
        {"train.py": MASKED, "chats.jsonl": CHATS},
        changed(MASKED, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
)
