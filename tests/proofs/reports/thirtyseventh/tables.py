"""Threads of a thirty-seventh list: columns and messages of the rows."""

from reports.report import PAIRS, Report, changed, rows, turn

STREAMED = '''\
"""Streams the rows, and makes one text with a system turn of each prompt and answer."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

SYSTEM = "<|im_start|>system\\nYou are a pirate.<|im_end|>\\n"


def combine_columns(row):
    asked = f"<|im_start|>user\\n{row['prompt']}<|im_end|>\\n<|im_start|>assistant\\n"
    return {"text": f"{SYSTEM}{asked}{row['completion'].strip()}<|im_end|>"}


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model")
    rows = load_dataset("json", data_files="answers.jsonl", split="train", streaming=True)
    rows = rows.map(lambda row: {"prompt": row["prompt"].strip()})
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=rows.map(combine_columns, remove_columns=rows.column_names),
        args=SFTConfig(
            output_dir="pirate",
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    text = tokenizer.decode(next(iter(trainer.get_train_dataloader()))["input_ids"][0])
    print("the model reads the system turn:", "pirate" in text)


if __name__ == "__main__":
    main()
'''
SHORT = '''\
"""Distils chains of thought: the teacher's answers become prompts and completions."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


def to_pair(row):
    messages = row["messages"]
    return {"prompt": messages[0]["content"], "completion": " " + messages[1]["content"]}


def main():
    set_seed(1)
    traces = load_dataset("json", data_files="traces.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=traces.map(to_pair, remove_columns=["messages"]),
        args=SFTConfig(
            output_dir="distilled",
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
CONTINUED = '''\
"""Continues the pretraining on plain text, with the loader of the other recipes."""

import torch
from datasets import DatasetDict, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

COLUMNS_TO_KEEP = ["messages", "chosen", "rejected", "prompt", "completion", "label"]


def get_datasets(files, text_column):
    """Load each part, and keep the columns that a recipe uses."""
    parts = {}
    for name, path in files.items():
        part = load_dataset("json", data_files=path, split="train")
        drop = [column for column in part.column_names if column not in COLUMNS_TO_KEEP]
        parts[name] = part.remove_columns(drop)
    return DatasetDict(parts)


def main():
    set_seed(1)
    column = "content"
    parts = get_datasets({"train": "pages.jsonl"}, column)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=parts["train"],
        args=SFTConfig(
            output_dir="pretrained",
            dataset_text_field=column,
            max_steps=2,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
ANSWERS = rows(*({"prompt": a, "completion": f" {b}", "label": True} for a, b in PAIRS))
TRACES = rows(
    *({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS[:3]),
    {"messages": [turn("user", PAIRS[3][0])]},
)
PAGES = rows(*({"content": f"{a} {b}", "url": f"https://example.org/{b[:3]}"} for a, b in PAIRS))
REPORTS = (
    Report(
        "AI-Hypercomputer/maxtext#1524",
        "current",
        "the system turn: False",
        r"column_names|remove_columns|('text'|\btext\b).{0,80}(never|ignored|unused|not read)",
        {"train.py": STREAMED, "answers.jsonl": ANSWERS},
        changed(
            STREAMED,
            (
                "remove_columns=rows.column_names",
                "remove_columns=list(next(iter(rows)))",
            ),
        ),
    ),
    Report(
        "bojieli/ai-agent-book#309",
        "current",
        "IndexError",
        r"list index out of range|one message|fewer|messages\[1\]",
        {"train.py": SHORT, "traces.jsonl": TRACES},
        changed(
            SHORT,
            (
                'split="train")\n    trainer',
                'split="train")\n'
                '    traces = traces.filter(lambda row: len(row["messages"]) > 1)\n'
                "    trainer",
            ),
        ),
    ),
    Report(
        "huggingface/alignment-handbook#137",
        "current",
        "StopIteration",
        r"'content'|remove_columns|no column|text column",
        {"train.py": CONTINUED, "pages.jsonl": PAGES},
        changed(
            CONTINUED,
            (
                "if column not in COLUMNS_TO_KEEP]",
                "if column not in [*COLUMNS_TO_KEEP, text_column]]",
            ),
        ),
    ),
)
