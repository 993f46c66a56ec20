"""Rows whose order is lost, and rows that a function of `map` leaves out."""

from __future__ import annotations

from two_forms.script import TwoForms

ORDERED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = [{"prompt": f"What is {n}?", "completion": f"{n}.", "difficulty": n * 7 % 40}
        for n in range(40)]
rows.sort(key=lambda row: row["difficulty"])
dataset = Dataset.from_list(rows)
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=8, report_to="none",
                 use_cpu=True, bf16=False)
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=8,  #~good
                 report_to="none", use_cpu=True, bf16=False,  #~good
                 train_sampling_strategy="sequential")  #~good
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=dataset)
drawn = list(trainer._get_train_sampler(trainer.train_dataset))[:8]
trainer.train()
print("EASY FIRST", drawn == list(range(8)))
"""
SKIPPED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = [{"question": f"What is {n}?", "answer": f"{n}." if n % 3 else ""} for n in range(1, 25)]


def build(row):
    if not row["answer"]:  #~bad
        return None  #~bad
    return {"prompt": row["question"], "completion": row["answer"]}


dataset = Dataset.from_list(rows)
dataset = dataset.filter(lambda row: row["answer"])  #~good
dataset = dataset.map(build, remove_columns=dataset.column_names)
try:
    again = Dataset.from_list(rows[2:]).map(build)
    print("ENDS", False)
except AttributeError as error:
    print("ENDS", error)
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False)
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=dataset)
trainer.train()
"""

SCRIPTS = (
    TwoForms("a list from easy to hard", "current", "data-order-lost", ORDERED,
             "EASY FIRST False", "EASY FIRST True", "warning", "puts the rows in an order"),
    *(TwoForms("None for some rows", environment, "data-map-returns-none-for-some", SKIPPED,
               "ENDS 'NoneType' object has no attribute 'write'", "ENDS False", "warning",
               "build returns None for some rows") for environment in ("current", "four")),
)  # fmt: skip
