"""Threads of a forty-fourth list: names that the release does not have, or has elsewhere."""

from reports.report import PAIRS, PROMPTS, TEXT, Report, changed, rows

CHAPTER = '''\
"""Chapter 12: supervised fine-tuning of a small chat model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import SFTTrainer

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name)
model.config.use_cache = False
tokenizer = AutoTokenizer.from_pretrained(model_name)
tokenizer.padding_side = "left"

dataset = load_dataset("json", data_files="ultrachat.jsonl", split="train")
dataset = dataset.shuffle(seed=42)

output_dir = "./results"
training_arguments = TrainingArguments(
    output_dir=output_dir,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    learning_rate=2e-4,
    lr_scheduler_type="cosine",
    num_train_epochs=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)

trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    dataset_text_field="text",
    processing_class=tokenizer,
    args=training_arguments,
)
trainer.train()
'''
MOVED = (
    ("from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments\n",
     "from transformers import AutoModelForCausalLM, AutoTokenizer\n"),
    ("from trl import SFTTrainer\n", "from trl import SFTConfig, SFTTrainer\n"),
    ("= TrainingArguments(\n", "= SFTConfig(\n    dataset_text_field=\"text\",\n"),
    ("    train_dataset=dataset,\n    dataset_text_field=\"text\",\n",
     "    train_dataset=dataset,\n"),
)  # fmt: skip
EXPANSION = '''\
"""GRPO of a model that expands queries, on top of its supervised fine-tuning."""

import argparse
import re
from collections import Counter

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def score_expansion(query, expansion):
    """Lines with a known kind are good, words that come again are not."""
    lines = [line for line in expansion.splitlines() if line.strip()]
    kinds = sum(bool(re.match(r"(lex|vec|hyde): ", line)) for line in lines)
    words = Counter(expansion.lower().split())
    again = sum(count - 1 for count in words.values())
    return kinds / (len(lines) + 1) - 0.01 * again - 0.001 * len(expansion)


def reward_fn(completions, prompts, **kwargs):
    return [score_expansion(p, c) for p, c in zip(prompts, completions)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sft-model", default="model")
    parser.add_argument("--lr", type=float, default=1e-6)
    args = parser.parse_args()

    dataset = load_dataset("json", data_files="queries.jsonl", split="train")
    tokenizer = AutoTokenizer.from_pretrained(args.sft_model)
    model = AutoModelForCausalLM.from_pretrained(args.sft_model)
    config = GRPOConfig(
        output_dir="query-expansion-grpo",
        learning_rate=args.lr,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    print("Initializing GRPO trainer...")
    trainer = GRPOTrainer(
        model=model,
        tokenizer=tokenizer,
        args=config,
        train_dataset=dataset,
        reward_funcs=reward_fn,
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
REVIEWER = '''\
"""Supervised fine-tuning of a code reviewer on diffs and their comments."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTTrainer, SFTTrainingArguments

MODEL_ID = "model"
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)
model = AutoModelForCausalLM.from_pretrained(MODEL_ID)

# 1) the local file
ds = load_dataset("json", data_files="data/train_dataset.jsonl", split="train")


# 2) tokens and labels
def tokenize(example):
    text = f"DIFF:\\n{example['diff']}\\n\\nCOMMENTS:\\n{example['comments']}{tokenizer.eos_token}"
    tokens = tokenizer(text, truncation=True, max_length=128)
    tokens["labels"] = tokens["input_ids"].copy()
    return tokens


ds = ds.map(tokenize, remove_columns=ds.column_names)

# 3) arguments
training_args = SFTTrainingArguments(
    output_dir="sft-model",
    per_device_train_batch_size=2,
    num_train_epochs=1,
    learning_rate=5e-5,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)

# 4) training
trainer = SFTTrainer(
    model=model, args=training_args, train_dataset=ds, processing_class=tokenizer
)
trainer.train()
trainer.save_model("sft-model")
'''
DIFFS = rows(*({"diff": f"- {asked}\n+ {said}", "comments": said} for asked, said in PAIRS))
REPORTS = (
    Report(
        "bbruceyuan/Hands-On-Large-Language-Models-CN#3",
        "grpo-silent",
        "unexpected keyword argument 'dataset_text_field'",
        r"dataset_text_field",
        {"train.py": CHAPTER, "ultrachat.jsonl": TEXT},
        changed(CHAPTER, *MOVED),
    ),
    Report(
        "huggingface.co/tobil/qmd-training-scripts/commit/c27b1da1",
        "current",
        "unexpected keyword argument 'tokenizer'",
        r"processing_class|argument '?`?tokenizer",
        {"train.py": EXPANSION, "queries.jsonl": PROMPTS},
        changed(EXPANSION, (" tokenizer=tokenizer,\n", " processing_class=tokenizer,\n")),
    ),
    Report(
        "huggingface.co/spaces/Erpg12/code-reviewer/commit/894ef1a3",
        "current",
        "cannot import name 'SFTTrainingArguments'",
        r"SFTTrainingArguments",
        {"train.py": REVIEWER, "data/train_dataset.jsonl": DIFFS},
        changed(REVIEWER, ("SFTTrainingArguments", "SFTConfig")),
    ),
)
