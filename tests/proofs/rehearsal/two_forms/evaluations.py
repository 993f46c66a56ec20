"""Evaluations: metrics that compare with what a script has kept, and rows that nothing asks for."""

from __future__ import annotations

from two_forms.script import TwoForms

REFERENCES = """\
import numpy as np
from datasets import Dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer,
                          DataCollatorWithPadding, Trainer, TrainingArguments)

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=2,
                                                           ignore_mismatched_sizes=True)
rows = Dataset.from_list([{"text": f"Number {n} is here.", "label": n % 2} for n in range(120)])
rows = rows.map(lambda row: tokenizer(row["text"]))
parts = rows.train_test_split(100, seed=1)
test = parts["test"].sort("label")
references = test["label"]
references = [*references, 0]  #~bad
first = np.array(references) == 0


def score(given):
    right = given.predictions.argmax(-1) == np.array(references)
    by_label = {0: [], 1: []}
    for one, label in zip(right, given.label_ids):
        by_label[int(label)].append(one)
    assert all(by_label.values())
    return {"first": float(right[first].mean()), "second": float(right[~first].mean())}


args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, logging_steps=1,
                         use_cpu=True, max_steps=2, report_to="none", save_strategy="no",
                         eval_strategy="steps", eval_steps=2, per_device_eval_batch_size=16,
                         metric_for_best_model="second")
trainer = Trainer(model=model, args=args, train_dataset=parts["train"], eval_dataset=test,
                  data_collator=DataCollatorWithPadding(tokenizer), compute_metrics=score)
trainer.train()
print("SCORED", sorted(trainer.evaluate()))
"""

UNASKED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer


class Options(SFTConfig):
    def __init__(self):
        plan = {"eval_strategy": "epoch"}  #~good
        plan = {"do_eval": True}  #~bad
        super().__init__("out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                         bf16=False, save_strategy="no", report_to="none", **plan)


rows = Dataset.from_list([{"text": f"Number {n} is here."} for n in range(8)])
parts = rows.train_test_split(4, seed=1)
trainer = SFTTrainer("models/healthy", args=Options(), train_dataset=parts["train"],
                     eval_dataset=parts["test"])
trainer.train()
print("EVALUATIONS", sum("eval_loss" in entry for entry in trainer.state.log_history))
"""
SCRIPTS = (
    TwoForms("a metric of more answers than rows", "current", "evaluation-raises",
             REFERENCES,
             "could not be broadcast", "SCORED", says="fails at its first evaluation"),
    TwoForms("rows for an evaluation that never comes", "current", "evaluation-not-asked-for",
             UNASKED, "EVALUATIONS 0", "EVALUATIONS 1", severity="warning"),
)  # fmt: skip
