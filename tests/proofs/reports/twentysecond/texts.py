"""Threads of a twenty-second list: what a tokenizer adds, and rows that are in two files."""

import json
from typing import Any

from reports.report import CHATS, PAIRS, ROOT, Report, changed, rows

MODEL = ROOT / "fixtures/models/healthy"
BOS = "<|endoftext|>"


def with_bos() -> dict[str, str]:
    """The files of a tokenizer that puts a bos before each text, as its template does, too."""
    config: dict[str, Any] = json.loads((MODEL / "tokenizer_config.json").read_text())
    tokenizer: dict[str, Any] = json.loads((MODEL / "tokenizer.json").read_text())
    first = {"SpecialToken": {"id": BOS, "type_id": 0}}
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [first, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [
            first,
            {"Sequence": {"id": "A", "type_id": 0}},
            {"Sequence": {"id": "B", "type_id": 1}},
        ],
        "special_tokens": {BOS: {"id": BOS, "ids": [296], "tokens": [BOS]}},
    }
    config |= {"bos_token": BOS, "chat_template": "{{ bos_token }}" + config["chat_template"]}
    return {
        "model/tokenizer_config.json": json.dumps(config),
        "model/tokenizer.json": json.dumps(tokenizer),
    }


TWO_STAGES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def preprocess_data(data):
    prompt = tokenizer.apply_chat_template(
        data["messages"][:-1], tokenize=False, add_generation_prompt=True
    )
    whole = tokenizer.apply_chat_template(data["messages"], tokenize=False)
    return {"prompt_text": prompt, "response": whole[len(prompt) :]}


def encode(data):
    prompt_ids = tokenizer(data["prompt_text"], truncation=True, max_length=128)["input_ids"]
    whole = tokenizer(data["prompt_text"] + data["response"], truncation=True, max_length=256)
    labels = [-100] * len(prompt_ids) + whole["input_ids"][len(prompt_ids) :]
    return {**whole, "labels": labels}


data = load_dataset("json", data_files="chats.jsonl", split="train")
data = data.map(preprocess_data, remove_columns=["messages"])
data = data.map(encode, remove_columns=["prompt_text", "response"])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    data_collator=DataCollatorForSeq2Seq(tokenizer),
    train_dataset=data,
    args=SFTConfig(
        output_dir="two-stages",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("bos at the start of the first row:", data[0]["input_ids"][:4].count(tokenizer.bos_token_id))
"""
ARGUMENT_PAIRS = (
    *PAIRS,
    ("Is tea better than coffee?", "Tea keeps one calm."),
    ("Should dogs have jobs?", "Some like to have one."),
)
LEAKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

conclugen = load_dataset(
    "json", data_files={"train": "training.jsonl", "validation": "validation.jsonl"}
)
training, validation = conclugen["train"], conclugen["validation"]
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=training,
    eval_dataset=validation,
    args=SFTConfig(
        output_dir="conclusions",
        max_steps=4,
        eval_strategy="steps",
        eval_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
both = set(training["prompt"]) & set(validation["prompt"])
print("validation rows that were trained on:", len(both))
"""


def texts(*chosen: int) -> str:
    """Rows with these arguments and their conclusions."""
    return rows(
        *(
            {"prompt": asked, "completion": f" {said}"}
            for asked, said in (ARGUMENT_PAIRS[number] for number in chosen)
        )
    )


REPORTS = (
    Report(
        "OpenRLHF/OpenRLHF#393",
        "current",
        "bos at the start of the first row: 2",
        r"\bbos\b|<\|endoftext\|>.{0,40}twice",
        {"train.py": TWO_STAGES, "chats.jsonl": CHATS, **with_bos()},
        changed(
            TWO_STAGES,
            ("max_length=128)", "max_length=128, add_special_tokens=False)"),
            (
                'whole = tokenizer(data["prompt_text"] + data["response"], truncation=True, '
                "max_length=256)",
                'text = data["prompt_text"] + data["response"]\n'
                "    whole = tokenizer(text, truncation=True, max_length=256, "
                "add_special_tokens=False)",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/datasets#4261",
        "current",
        r"validation rows that were trained on: [1-9]",
        r"evaluat|validation",
        {
            "train.py": LEAKED,
            "training.jsonl": texts(0, 1, 2, 3, 4),
            "validation.jsonl": texts(1, 3, 5),
        },
        {"validation.jsonl": texts(5)},
        level="",
    ),
)
