"""Threads of a thirty-second list: texts that are imitated."""

from reports.report import CHATS, TEXT, Report, changed

ENDLESS = """\
# %%
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

# %%
torch.manual_seed(0)
MODEL = "model"
tokenizer = AutoTokenizer.from_pretrained(MODEL)
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained(MODEL)

# %%
data = load_dataset("json", data_files="texts.jsonl", split="train")


def tokenize(example):
    return tokenizer(example["text"] + tokenizer.eos_token, truncation=True, max_length=128)


tokenized = data.map(tokenize, remove_columns=data.column_names)

# %%
collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
trainer = Trainer(
    model=model,
    train_dataset=tokenized,
    args=TrainingArguments(
        output_dir="falcon-tuned",
        per_device_train_batch_size=2,
        max_steps=2,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    data_collator=collator,
)
model.config.use_cache = False
trainer.train()

# %%
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("it is taught to end:", bool((labels == tokenizer.eos_token_id).any()))
"""
UNCUT = """\
from functools import partial

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


def collate_func(examples, tokenizer, mode="train"):
    texts = [
        tokenizer.apply_chat_template(
            example["messages"], tokenize=False, add_generation_prompt=mode == "eval"
        )
        for example in examples
    ]
    batch = tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=False)
    labels = batch["input_ids"].clone()
    labels[batch["attention_mask"] == 0] = -100
    batch["labels"] = labels
    widths.append(labels.shape[1])
    return batch


def main():
    set_seed(42)
    tokenizer = AutoTokenizer.from_pretrained("model")
    training_args = SFTConfig(
        output_dir="sft-out",
        max_length=24,
        packing=False,
        per_device_train_batch_size=2,
        max_steps=2,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=training_args,
        train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
        data_collator=partial(collate_func, tokenizer=tokenizer),
        processing_class=tokenizer,
    )
    trainer.train()
    print("batches are wider than max_length:", max(widths) > training_args.max_length)


if __name__ == "__main__":
    widths = []
    main()
"""
REPORTS = (
    Report(
        "openillumi.com/fixing-infinite-generation-in-fine-tuning#60527",
        "current",
        "it is taught to end: False",
        r"pad.?token|\bpad(ding|ded)?\b.{0,100}\b(eos|end)|\b(eos|end)\b.{0,100}\bpad",
        {"train.py": ENDLESS, "texts.jsonl": TEXT},
        changed(
            ENDLESS,
            (
                "tokenizer.pad_token = tokenizer.eos_token\n",
                'tokenizer.add_special_tokens({"pad_token": "<|fim_pad|>"})\n',
            ),
        ),
    ),
    Report(
        "huggingface/trl#2242",
        "current",
        "batches are wider than max_length: True",
        r"max_length.{0,160}(ignor|not (read|used|applied|cut)|no effect|nothing|collator)"
        r"|max_length.{0,160}skip_prepare|(collator|skip_prepare).{0,160}(max_length|truncat|\bcut)",
        {"train.py": UNCUT, "chats.jsonl": CHATS},
        changed(
            UNCUT,
            (
                "padding=True, return_tensors",
                "padding=True, truncation=True, max_length=24, return_tensors",
            ),
        ),
    ),
)
