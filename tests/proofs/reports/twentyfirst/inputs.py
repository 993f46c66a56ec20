"""Threads of a twenty-first list: what a collator gets, and prompts that are learnt."""

from reports.report import CHATS, TEXT, Report, changed, rows

SUPERVISED = """\
import json

import torch
from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


class SupervisedDataset(Dataset):
    \"\"\"Conversations, as they are in the file.\"\"\"

    def __init__(self, path):
        with open(path) as lines:
            self.rows = [json.loads(line) for line in lines]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        return {"conversation": self.rows[number]["messages"]}


def data_collator(examples):
    ids = [
        torch.tensor(tokenizer.apply_chat_template(example["conversation"], return_dict=False))
        for example in examples
    ]
    padding = torch.nn.utils.rnn.pad_sequence
    input_ids = padding(ids, batch_first=True, padding_value=tokenizer.pad_token_id)
    labels = padding(ids, batch_first=True, padding_value=-100)
    mask = (labels != -100).long()
    return {"input_ids": input_ids, "attention_mask": mask, "labels": labels}


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=SupervisedDataset("chats.jsonl"),
    data_collator=data_collator,
    args=SFTConfig(
        output_dir="minicpm-lines",
        max_steps=1,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
PREFIX = """\
from datasets import load_dataset
from peft import PrefixTuningConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback
from trl import SFTConfig, SFTTrainer

data = load_dataset("json", data_files={"train": "texts.jsonl", "validation": "valid.jsonl"})
peft_config = PrefixTuningConfig(
    task_type="CAUSAL_LM", num_virtual_tokens=4, prefix_projection=True, encoder_hidden_size=32
)
training_args = SFTConfig(
    output_dir="prefix",
    eval_strategy="steps",
    eval_steps=1,
    save_strategy="steps",
    save_steps=1,
    max_steps=2,
    load_best_model_at_end=True,
    metric_for_best_model="eval_loss",
    gradient_checkpointing=False,
    per_device_train_batch_size=2,
    learning_rate=1e-3,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    args=training_args,
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    peft_config=peft_config,
)
trainer.train()
"""
VALID = rows({"text": "The bread was warm."}, {"text": "It rained on the second day."})
REPORTS = (
    Report(
        "OpenBMB/MiniCPM-V#374",
        "four",
        "KeyError: 'conversation'",
        "remove_unused_columns",
        {"train.py": SUPERVISED, "chats.jsonl": CHATS},
        changed(
            SUPERVISED,
            (
                "        max_steps=1,\n",
                "        max_steps=1,\n        remove_unused_columns=False,\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/peft#2256",
        "current",
        "size mismatch",
        "load_best_model_at_end|prompt learning",
        {"train.py": PREFIX, "texts.jsonl": TEXT, "valid.jsonl": VALID},
        changed(PREFIX, ("load_best_model_at_end=True", "load_best_model_at_end=False")),
        level="",
    ),
)
