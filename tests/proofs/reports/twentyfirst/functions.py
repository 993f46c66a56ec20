"""Threads of a twenty-first list: functions that a trainer calls for rows and metrics."""

from reports.report import PAIRS, Report, changed, rows

INSTRUCTIONS = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
LABELS = rows(*({"label": f"{asked} {answer}"} for asked, answer in PAIRS))
ALPACA = '''\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="alpaca.jsonl", split="train")


def formatting_prompts_func(example):
    if len(example["input"]) >= 2:
        text = f"""Below is an instruction with further context. Write a response.

### Instruction:
{example["instruction"]}

### Input:
{example["input"]}

### Response:
{example["output"]}"""
    else:
        text = f"""Below is an instruction. Write a response.

### Instruction:
{example["instruction"]}

### Response:
{example["output"]}"""
    return text


trainer = SFTTrainer(
    model,
    args=SFTConfig(
        output_dir="alpaca",
        packing=False,
        max_seq_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    tokenizer=tokenizer,
    train_dataset=dataset,
    formatting_func=formatting_prompts_func,
)
trainer.train()
'''
EACH = ALPACA[ALPACA.index("def formatting") : ALPACA.index("\n\ntrainer = ")]
LOOPED = (
    EACH.replace("def formatting_prompts_func(example):", "def formatted(example):")
    + """

def formatting_prompts_func(examples):
    keys = list(examples)
    return [
        formatted(dict(zip(keys, values))) for values in zip(*(examples[key] for key in keys))
    ]
"""
)
SCORED = """\
import math

import numpy as np
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def bleu(predictions, references):
    \"\"\"BLEU of single words: how many words of a reference are in the prediction.\"\"\"
    if not all(isinstance(text, str) for text in [*predictions, *references]):
        raise ValueError("Predictions and/or references don't match the expected format: str.")
    shares = []
    for predicted, reference in zip(predictions, references):
        said, wanted = predicted.split(), reference.split()
        brevity = min(1.0, math.exp(1 - len(wanted) / max(1, len(said))))
        shares.append(brevity * sum(word in wanted for word in said) / max(1, len(said)))
    return {"bleu": 100 * sum(shares) / len(shares)}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    labels = np.where(labels == -100, tokenizer.pad_token_id, labels)
    return bleu(predictions=predictions, references=labels)


rows = load_dataset("json", data_files="sft_data_test.jsonl", split="train")
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=rows,
    eval_dataset=rows,
    args=SFTConfig(
        output_dir="sft_train",
        dataset_text_field="label",
        max_seq_length=128,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
"""
REPORTS = (
    Report(
        "huggingface/trl#444",
        "ppo-first",
        "should return a list of processed strings",
        "formatting_func",
        {"train.py": ALPACA, "alpaca.jsonl": INSTRUCTIONS},
        changed(ALPACA, (EACH, LOOPED)),
        level="",
    ),
    Report(
        "huggingface/trl#2376",
        "ppo-first",
        "don't match the expected format",
        "compute_metrics|decode",
        {"train.py": SCORED, "sft_data_test.jsonl": LABELS},
        changed(
            SCORED,
            (
                "    return bleu(predictions=predictions, references=labels)\n",
                "    predictions = tokenizer.batch_decode(predictions, skip_special_tokens=True)\n"
                "    references = tokenizer.batch_decode(labels, skip_special_tokens=True)\n"
                "    return bleu(predictions=predictions, references=references)\n",
            ),
        ),
        level="",
    ),
)
