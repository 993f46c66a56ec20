"""Threads of a twenty-sixth list: tokens of a script that have a loss, or that are not there."""

from reports.report import PAIRS, Report, changed, rows, turn

STOPLESS = """\
import json

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

IGNORE_INDEX = -100
PROMPT = "### Instruction:\\n{instruction}\\n\\n### Response:"

tokenizer = AutoTokenizer.from_pretrained("model", model_max_length=512)


def preprocess(example):
    source = PROMPT.format_map(example)
    target = example["output"]
    input_ids = tokenizer(source + target, truncation=True)["input_ids"]
    labels = list(input_ids)
    source_len = len(tokenizer(source, truncation=True)["input_ids"])
    labels[:source_len] = [IGNORE_INDEX] * source_len
    return {"input_ids": input_ids, "labels": labels}


with open("alpaca_data.json") as file:
    list_data_dict = json.load(file)

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=Dataset.from_list([preprocess(example) for example in list_data_dict]),
    args=SFTConfig(
        output_dir="alpaca",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
stops = sum(row["labels"][-1] == tokenizer.eos_token_id for row in trainer.train_dataset)
print(f"answers that end with {tokenizer.eos_token}: {stops} of {len(list_data_dict)}")
"""
PADDED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

config = {"base_model": "model", "max_seq_length": 128, "learning_rate": 2e-4, "steps": 2}

tokenizer = AutoTokenizer.from_pretrained(config["base_model"])
tokenizer.pad_token = tokenizer.eos_token


def tokenize(sample):
    text = f"User: {sample['instruction']}\\nAssistant: {sample['output']}{tokenizer.eos_token}"
    encoded = tokenizer(
        text, truncation=True, max_length=config["max_seq_length"], padding="max_length"
    )
    labels = list(encoded["input_ids"])
    return {"input_ids": encoded["input_ids"], "labels": labels}


dataset = load_dataset("json", data_files="samples.jsonl", split="train")
dataset = dataset.map(tokenize, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(config["base_model"], dtype=torch.float32),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="adapter",
        max_steps=config["steps"],
        learning_rate=config["learning_rate"],
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
last = [row["labels"][-8:] for row in trainer.train_dataset]
padding = sum(labels == [tokenizer.pad_token_id] * 8 for labels in last)
print(f"rows whose padding has a loss: {padding} of {len(last)}")
"""
RENDERED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def render_conversation(conversation):
    \"\"\"Its tokens, and for each whether the assistant is to learn it.\"\"\"
    ids, mask = [], []
    for message in conversation:
        head = tokenizer(f"<|im_start|>{message['role']}\\n")["input_ids"]
        body = tokenizer(message["content"] + "<|im_end|>")["input_ids"]
        ids += head + body
        mask += [0] * len(head) + [int(message["role"] == "assistant")] * len(body)
    return ids, mask


def to_row(sample):
    ids, _ = render_conversation(sample["conversation"])
    return {"input_ids": ids}


dataset = load_dataset("json", data_files="smoltalk.jsonl", split="train")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=dataset.map(to_row, remove_columns=dataset.column_names),
    args=SFTConfig(
        output_dir="chatsft_checkpoints",
        max_steps=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
asked = sum(int(row[0]) == tokenizer.convert_tokens_to_ids("<|im_start|>") for row in labels)
print(f"rows of a batch whose question has a loss: {asked} of {len(labels)}")
"""
ALPACA = rows(*({"instruction": asked, "output": answer} for asked, answer in PAIRS))
LISTED = "[" + ",\n".join(ALPACA.splitlines()) + "]\n"
TALKS = rows(
    *({"conversation": [turn("user", asked), turn("assistant", answer)]} for asked, answer in PAIRS)
)
REPORTS = (
    Report(
        "tatsu-lab/stanford_alpaca#126",
        "current",
        r"answers that end with \S+: 0 of",
        r"\beos\b|eos_token|<\|im_end\|>|end[- ]of[- ](sequence|text|turn)|(end|stop) token",
        {"train.py": STOPLESS, "alpaca_data.json": LISTED},
        changed(STOPLESS, ('example["output"]\n', 'example["output"] + tokenizer.eos_token\n')),
        level="",
    ),
    Report(
        "getainode/ainode#186",
        "current",
        "rows whose padding has a loss: [1-9]",
        r"\bpad(s|ding|ded)?\b.{0,120}(loss|label|learn|train|target)"
        r"|(loss|label|learn|train|target).{0,120}\bpad(s|ding|ded)?\b",
        {"train.py": PADDED, "samples.jsonl": ALPACA},
        changed(
            PADDED,
            (
                '    labels = list(encoded["input_ids"])\n',
                "    labels = [\n"
                "        token if seen else -100\n"
                '        for token, seen in zip(encoded["input_ids"], encoded["attention_mask"])\n'
                "    ]\n",
            ),
        ),
        level="",
    ),
    Report(
        "karpathy/nanochat#582",
        "current",
        "rows of a batch whose question has a loss: [1-9]",
        r"(prompt|question|user).{0,120}(loss|label|learn|train)|(loss|label|learn|train).{0,120}"
        r"(prompt|question|user)|completion_only_loss|assistant_only_loss|render_conversation",
        {"train.py": RENDERED, "smoltalk.jsonl": TALKS},
        changed(
            RENDERED,
            ("    ids, _ = render", "    ids, mask = render"),
            (
                '    return {"input_ids": ids}\n',
                "    labels = [token if learnt else -100 for token, learnt in zip(ids, mask)]\n"
                '    return {"input_ids": ids, "labels": labels}\n',
            ),
        ),
        level="files",
    ),
)
