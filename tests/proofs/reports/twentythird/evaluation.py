"""Threads of a twenty-third list: a training that dies at its first evaluation."""

from reports.report import PAIRS, TEXT, Report, changed, rows

ASKED = rows(*({"question": a, "answer": b} for a, b in PAIRS))
SMOOTHED = """\
import torch.nn.functional as F
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class SmoothedTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        logits = model(**inputs).logits
        loss = F.cross_entropy(
            logits[:, :-1].flatten(0, 1),
            labels[:, 1:].flatten(),
            ignore_index=-100,
            label_smoothing=0.1,
        )
        return (loss, logits) if return_outputs else loss


def preprocess_logits_for_metrics(logits, labels):
    return logits.argmax(-1)


def compute_metrics(eval_pred):
    preds, labels = eval_pred.predictions[:, :-1], eval_pred.label_ids[:, 1:]
    mask = labels != -100
    return {"token_accuracy": float((preds == labels)[mask].mean())}


tokenizer = AutoTokenizer.from_pretrained("model")
data = load_dataset("json", data_files={"train": "train.jsonl", "valid": "valid.jsonl"})
trainer = SmoothedTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=data["train"],
    eval_dataset=data["valid"],
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
    args=SFTConfig(
        output_dir="smoothed",
        max_steps=4,
        eval_strategy="steps",
        eval_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
RAW_VALIDATION = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")


def tokenize(sample):
    asked = tokenizer(sample["question"] + "\\n")["input_ids"]
    answered = tokenizer(sample["answer"])["input_ids"] + [tokenizer.eos_token_id]
    sample["input_ids"] = asked + answered
    sample["labels"] = [-100] * len(asked) + answered
    return sample


def build_dataset(train_path, eval_path):
    ds = load_dataset("json", data_files=train_path, split="train")
    ds = ds.map(tokenize)
    train_dataset = ds.filter(lambda row: len(row["input_ids"]) <= 512)
    eval_dataset = train_dataset
    if eval_path:
        eval_dataset = load_dataset("json", data_files=eval_path, split="train")
    return train_dataset, eval_dataset


def collate(features):
    longest = max(len(feature["input_ids"]) for feature in features)
    ids, labels, mask = [], [], []
    for feature in features:
        lack = longest - len(feature["input_ids"])
        ids.append(feature["input_ids"] + [tokenizer.pad_token_id] * lack)
        labels.append(feature["labels"] + [-100] * lack)
        mask.append([1] * (longest - lack) + [0] * lack)
    return {
        "input_ids": torch.tensor(ids),
        "labels": torch.tensor(labels),
        "attention_mask": torch.tensor(mask),
    }


train_dataset, eval_dataset = build_dataset("train.jsonl", "validation.jsonl")
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    args=SFTConfig(
        output_dir="custom",
        max_steps=6,
        eval_strategy="steps",
        eval_steps=4,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    data_collator=collate,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/transformers#39736",
        "four",
        r"operands could not be broadcast",
        r"compute_loss|outputs\[1:\]|first (row|example|one|element)",
        {"train.py": SMOOTHED, "train.jsonl": TEXT, "valid.jsonl": TEXT},
        changed(
            SMOOTHED,
            (
                "logits = model(**inputs).logits\n",
                "outputs = model(**inputs)\n        logits = outputs.logits\n",
            ),
            ("return (loss, logits) if", "return (loss, outputs) if"),
        ),
        level="",
    ),
    Report(
        "RLHFlow/RLHF-Reward-Modeling#6",
        "current",
        "KeyError: 'input_ids'",
        r"eval_dataset|evaluat|validation",
        {"train.py": RAW_VALIDATION, "train.jsonl": ASKED, "validation.jsonl": ASKED},
        changed(
            RAW_VALIDATION,
            (
                'data_files=eval_path, split="train")\n',
                'data_files=eval_path, split="train")\n'
                "        eval_dataset = eval_dataset.map(tokenize)\n",
            ),
        ),
        level="",
    ),
)
