"""Threads of a thirty-eighth list: tables that are not what a trainer takes."""

from reports.report import PAIRS, Report, changed, rows

UPPER = rows(*({"TEXT": f"{a} {b}"} for a, b in PAIRS))
COMPLETION = '''\
"""Continues pretraining on a file of texts; cfg is what a YAML file would say."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

cfg = {
    "base_model": "model",
    "datasets": [{"path": "corpus.jsonl", "type": "completion", "field": "text"}],
    "sequence_len": 128,
    "micro_batch_size": 2,
}


def load_completion(entry):
    return load_dataset("json", data_files=entry["path"], split="train")


def train(cfg):
    (entry,) = cfg["datasets"]
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(cfg["base_model"]),
        processing_class=AutoTokenizer.from_pretrained(cfg["base_model"]),
        train_dataset=load_completion(entry),
        args=SFTConfig(
            output_dir="completed",
            dataset_text_field=entry["field"],
            max_length=cfg["sequence_len"],
            per_device_train_batch_size=cfg["micro_batch_size"],
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


train(cfg)
'''
SCAMS = rows(
    *(
        {
            "conversations": [{"role": "user", "content": a}, {"role": "assistant", "content": b}],
            "label": label,
        }
        for (a, b), label in zip(PAIRS, ("scam", "honest", "scam", "honest"), strict=True)
    )
)
LABELLED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

dataset = load_dataset("json", data_files="dialogues.jsonl", split="train")


def apply_chat_template(examples):
    texts = tokenizer.apply_chat_template(examples["conversations"], tokenize=False)
    return {"text": texts}


dataset = dataset.map(apply_chat_template, batched=True, remove_columns=["conversations"])

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=2e-4,
        output_dir="outputs",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
FRAME = '''\
"""Fine-tunes on a table of prompts and labels that is read with pandas."""

import pandas as pd
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def formatting_prompts_func(examples):
    output_text = []
    for prompt, label in zip(examples["prompts"], examples["labels"]):
        output_text.append(f"### Question: {prompt}\\n### Answer: {label}")
    return output_text


def load_table(path):
    frame = pd.read_csv(path)
    return frame[frame["labels"].notna()]


def main():
    table = load_table("table.csv")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=table,
        formatting_func=formatting_prompts_func,
        args=SFTConfig(
            output_dir="falcon",
            packing=False,
            max_seq_length=128,
            max_steps=1,
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
PLAIN = "".join(f"{a} {b}\n" for a, b in PAIRS)
FILES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("text", data_files={"train": "to-train.txt", "test": "to-test.txt"})
print(dataset)
model = AutoModelForCausalLM.from_pretrained("model")
args = SFTConfig(
    output_dir="from-text",
    dataset_text_field="text",
    max_steps=1,
    per_device_train_batch_size=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=dataset)
trainer.train()
"""
REPORTS = (
    Report(
        "axolotl-ai-cloud/axolotl#618",
        "current",
        "KeyError",
        r"TEXT|no column|column .text.|dataset_text_field",
        {"train.py": COMPLETION, "corpus.jsonl": UPPER},
        changed(COMPLETION, ('"field": "text"', '"field": "TEXT"')),
    ),
    Report(
        "unslothai/unsloth#2270",
        "grpo-first",
        "Unable to create tensor",
        r"\blabel\b",
        {"train.py": LABELLED, "dialogues.jsonl": SCAMS},
        changed(LABELLED, ('["conversations"])', '["conversations", "label"])')),
    ),
    Report(
        "huggingface/trl#465",
        "ppo-first",
        "DataFrame",
        r"DataFrame|pandas|from_pandas|not a data ?set",
        {
            "train.py": FRAME,
            "table.csv": "prompts,labels\n" + "".join(f'"{a}","{b}"\n' for a, b in PAIRS),
        },
        changed(
            FRAME,
            ("train_dataset=table", "train_dataset=Dataset.from_pandas(table)"),
        ),
    ),
    Report(
        "huggingface/trl#915",
        "four",
        r"Error",
        r"DatasetDict|split|\[.train.\]",
        {"train.py": FILES, "to-train.txt": PLAIN, "to-test.txt": PLAIN},
        changed(FILES, ("train_dataset=dataset)", 'train_dataset=dataset["train"])')),
    ),
)
