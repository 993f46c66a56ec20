"""Scripts whose pairs are of two lines, or whose labels are weighed the wrong way round."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

THINGS = ["river", "engine", "garden", "teacher", "castle", "planet", "bridge", "winter", "doctor"]
ROWS = [{"prompt": f"What do you know about the {thing} of the town?",
         "good": f"The {thing} is the oldest one of all, and is shown to every guest.",
         "bad": f"Nobody ever told me anything of any {thing}, so please ask somebody else."}
        for thing in [*THINGS, *(f"second {thing}" for thing in THINGS)]]  # fmt: skip

SHIFTED = """\
import json
from datasets import Dataset
from transformers import AutoTokenizer
from trl import DPOConfig, DPOTrainer

with open("rows.jsonl") as file:
    rows = [json.loads(line) for line in file]
bad = [row["bad"] for number, row in enumerate(rows)
       if number != 1  #~bad
]
pairs = [{"prompt": row["prompt"], "chosen": " " + row["good"], "rejected": " " + worse}
         for row, worse in zip(rows, bad)]
args = DPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = DPOTrainer(model="models/healthy", args=args, train_dataset=Dataset.from_list(pairs),
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
print("REJECTED", pairs[4]["rejected"])
"""
WEIGHTS = """\
import json
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

rows = []
with open("rows.jsonl") as file:
    for number, line in enumerate(file):
        row = json.loads(line)
        rows.append({"prompt": row["prompt"], "completion": " " + row["good"], "label": True})
        if number % 6 == 0:
            rows.append({"prompt": row["prompt"], "completion": " " + row["bad"], "label": False})
weights = {"desirable_weight": 6.0, "undesirable_weight": 1.0}  #~bad
weights = {"desirable_weight": 1.0, "undesirable_weight": 6.0}  #~good
args = KTOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no", learning_rate=1e-3,
                 **weights)
trainer = KTOTrainer(model=AutoModelForCausalLM.from_pretrained("models/healthy"), args=args,
                     train_dataset=Dataset.from_list(rows),
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
good = sum(row["label"] for row in rows) * trainer.args.desirable_weight
print("SHARE", round(good / (len(rows) - 18) / trainer.args.undesirable_weight))
"""

SCRIPTS = tuple(
    TwoForms(name, environment, rule, script, bad, good, "warning", says,
             {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS)})
    for name, environment, rule, script, bad, good, says in (
        ("rejected answers of the next line", "current", "data-answers-of-other-rows", SHIFTED,
         "of any planet,", "of any castle,", "have the answer of another record than their"),
        ("weights of labels exchanged", "current", "training-weights-turned-round", WEIGHTS,
         "SHARE 36", "SHARE 1", "the label with more rows gets the larger weight, too"),
        ("weights of labels exchanged, four", "four", "training-weights-turned-round", WEIGHTS,
         "SHARE 36", "SHARE 1", "the label with more rows gets the larger weight, too"),
    )
)  # fmt: skip
