"""Threads of a twentieth list: collators and losses of a script's own."""

from reports.report import COMPLETIONS, PAIRS, TEXT, Report, changed, rows

WEIGHTED = rows(*({"text": f"{a} {b}", "weight": 0.5 + n} for n, (a, b) in enumerate(PAIRS)))
TORCH_FORMAT = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class CustomTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits[:, :-1].transpose(1, 2)
        loss = torch.nn.functional.cross_entropy(logits.float(), labels[:, 1:])
        return (loss, outputs) if return_outputs else loss


training_args = SFTConfig(
    output_dir="unlearn",
    max_steps=2,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=1e-5,
    weight_decay=0.01,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
model = AutoModelForCausalLM.from_pretrained("model")
trainer = CustomTrainer(
    model=model,
    train_dataset=load_dataset("json", data_files="forget.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    args=training_args,
)
model.config.use_cache = False
trainer.train()
"""
WEIGHTS = """\
from dataclasses import dataclass

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase
from trl import SFTConfig, SFTTrainer


@dataclass
class WeightedCollator:
    tokenizer: PreTrainedTokenizerBase

    def __call__(self, examples):
        weights = torch.tensor([example["weight"] for example in examples])
        ids = [{"input_ids": example["input_ids"]} for example in examples]
        batch = self.tokenizer.pad(ids, return_tensors="pt")
        batch["labels"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        batch["weight"] = weights
        return batch


class WeightedTrainer(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        weights = inputs.pop("weight")
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        losses = torch.nn.functional.cross_entropy(
            outputs.logits[:, :-1].transpose(1, 2).float(), labels[:, 1:], reduction="none"
        )
        loss = (losses.mean(dim=1) * weights).sum() / weights.sum()
        return (loss, outputs) if return_outputs else loss


tokenizer = AutoTokenizer.from_pretrained("model")
args = SFTConfig(
    output_dir="weighted",
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = WeightedTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=load_dataset("json", data_files="weighted.jsonl", split="train"),
    data_collator=WeightedCollator(tokenizer),
    processing_class=tokenizer,
)
trainer.train()
"""
RESPONSES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

INSTRUCTION, RESPONSE = "[INST] ", " [/INST] "

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def train_on_responses_only(trainer, response_part):
    marker = tokenizer(response_part, add_special_tokens=False)["input_ids"]

    def _mask(examples):
        all_labels = []
        for ids in examples["input_ids"]:
            labels = [-100] * len(ids)
            for start in range(len(ids) - len(marker)):
                if ids[start : start + len(marker)] == marker:
                    labels[start + len(marker) :] = ids[start + len(marker) :]
                    break
            all_labels.append(labels)
        return {"labels": all_labels}

    trainer.train_dataset = trainer.train_dataset.map(_mask, batched=True)
    return trainer


def to_text(row):
    return {"text": INSTRUCTION + row["prompt"] + RESPONSE + row["completion"].strip()}


dataset = load_dataset("json", data_files="instruct.jsonl", split="train").map(to_text)
dataset = dataset.select_columns(["text"])
trainer = SFTTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(
        dataset_text_field="text",
        max_seq_length=512,
        output_dir="outputs",
        max_steps=1,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer = train_on_responses_only(trainer, RESPONSE)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/transformers#36331",
        "current",
        "unexpected keyword argument 'num_items_in_batch'",
        "num_items_in_batch",
        {"train.py": TORCH_FORMAT, "forget.jsonl": TEXT},
        changed(
            TORCH_FORMAT,
            ("return_outputs=False):", "return_outputs=False, num_items_in_batch=None):"),
        ),
    ),
    Report(
        "huggingface/transformers#19599",
        "current",
        "KeyError: 'weight'",
        "remove_unused_columns|column.{0,40}weight|weight.{0,40}column",
        {"train.py": WEIGHTS, "weighted.jsonl": WEIGHTED},
        changed(
            WEIGHTS,
            ("    max_steps=1,\n", "    max_steps=1,\n    remove_unused_columns=False,\n"),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#1017",
        "ppo-first",
        r"Unable to create tensor.*\n*.*`labels`",
        r"DataCollatorForSeq2Seq|\blabels\b.{0,80}(pad|length|collat)|collat.{0,80}\blabels\b",
        {"train.py": RESPONSES, "instruct.jsonl": COMPLETIONS},
        changed(
            RESPONSES,
            (
                "    train_dataset=dataset,\n",
                "    train_dataset=dataset,\n"
                "    data_collator=DataCollatorForSeq2Seq(tokenizer=tokenizer),\n",
            ),
        ),
        level="",
    ),
)
