"""Threads of a thirty-third list: runs that are evaluated."""

from reports.report import COMPLETIONS, TEXT, Report, changed

UNSEEN = """\
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="imdb.jsonl", split="train")
dataset = dataset.train_test_split(test_size=0.5, seed=0)

model = AutoModelForCausalLM.from_pretrained("model")

peft_config = LoraConfig(
    r=4,
    lora_alpha=16,
    lora_dropout=0.05,
    bias="none",
    target_modules="all-linear",
)

training_args = SFTConfig(
    max_length=64,
    output_dir="imdb-lora",
    eval_strategy="steps",
    eval_steps=1,
    eval_on_start=True,
    max_steps=2,
    logging_steps=1,
    per_device_train_batch_size=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)

trainer = SFTTrainer(
    model,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
    args=training_args,
    peft_config=peft_config,
)
trainer.train()
curve = [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]
print("points of the evaluation's loss:", len(curve))
"""
BEST = '''\
"""LoRA on instructions; the best checkpoint of the run is kept."""

import argparse
from functools import partial

import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)

IGNORE = -100


def encode(row, tokenizer, cutoff):
    prompt = tokenizer(f"Question: {row['prompt']}\\nAnswer:")["input_ids"]
    answer = tokenizer(row["completion"] + tokenizer.eos_token)["input_ids"]
    return {
        "input_ids": (prompt + answer)[:cutoff],
        "attention_mask": [1] * min(len(prompt + answer), cutoff),
        "labels": ([IGNORE] * len(prompt) + answer)[:cutoff],
    }


def splits(path, tokenizer, cutoff):
    raw = load_dataset("json", data_files=path, split="train")
    encoded = raw.map(
        partial(encode, tokenizer=tokenizer, cutoff=cutoff), remove_columns=raw.column_names
    )
    return encoded.train_test_split(test_size=0.5, seed=11)


def build(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float32)
    peft_config = LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj"])
    model = get_peft_model(model, peft_config)
    model.print_trainable_parameters()
    return model, tokenizer


def main(options):
    model, tokenizer = build(options.model)
    data = splits(options.data, tokenizer, options.cutoff)
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir="best",
            eval_strategy="steps",
            save_strategy="steps",
            eval_steps=1,
            save_steps=1,
            max_steps=2,
            per_device_train_batch_size=2,
            load_best_model_at_end=True,
            metric_for_best_model="eval_loss",
            report_to="none",
            use_cpu=True,
        ),
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    print("best:", trainer.state.best_model_checkpoint)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="model")
    parser.add_argument("--data", default="instructions.jsonl")
    parser.add_argument("--cutoff", type=int, default=128)
    main(parser.parse_args())
'''
REPORTS = (
    Report(
        "huggingface/trl#3694",
        "grpo-shapes",
        "points of the evaluation's loss: 0",
        r"eval_loss|can_return_loss|label_names|evaluat.{0,80}(no|without|lack).{0,20}loss",
        {"train.py": UNSEEN, "imdb.jsonl": TEXT},
        changed(UNSEEN, ("trainer.train()", "trainer.can_return_loss = True\ntrainer.train()")),
    ),
    Report(
        "huggingface/transformers#33420",
        "grpo-shapes",
        "KeyError: .*eval_loss",
        r"eval_loss|label_names|metric_for_best_model|can_return_loss",
        {"train.py": BEST, "instructions.jsonl": COMPLETIONS},
        changed(
            BEST,
            (
                'metric_for_best_model="eval_loss",\n',
                'metric_for_best_model="eval_loss",\n            label_names=["labels"],\n',
            ),
        ),
    ),
)
