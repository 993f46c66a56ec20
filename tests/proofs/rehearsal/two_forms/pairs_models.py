"""Models and labels of preference training that do not fit the run."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

REFERENCE_NOT_RESIZED = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.add_tokens([f"<tag_{n}>" for n in range(30)])
model = AutoModelForCausalLM.from_pretrained("models/healthy")
reference = AutoModelForCausalLM.from_pretrained("models/healthy")
model.resize_token_embeddings(len(tokenizer))
reference.resize_token_embeddings(len(tokenizer))  #~good
row = {"prompt": "What is it?", "chosen": "It is two.", "rejected": "It is three."}
late = {"prompt": "And this?", "chosen": "It is <tag_29>.", "rejected": "It is three."}
trainer = DPOTrainer(
    model=model,
    ref_model=reference,
    args=DPOConfig(output_dir="out", max_steps=3, per_device_train_batch_size=2, use_cpu=True,
                   report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_list([row] * 5 + [late]),
    processing_class=tokenizer,
)
trainer.train()
print("TRAINED")
"""
LABELS_OF_TEXT = """\
import csv
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

with open("feedback.csv") as file:
    rows = [{"prompt": row["prompt"], "completion": row["reply"],
             "label": bool(row["liked"])}  #~bad
             "label": row["liked"] == "1"}  #~good
            for row in csv.DictReader(file)]
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    ref_model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    args=KTOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                   report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_list(rows),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
print("LABELS", sorted(set(trainer.train_dataset["label"])))
trainer.train()
"""
LABELS_NOT_READ = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer


def convert(row):
    wanted, other = row["reply"], ""
    wanted, other = (row["reply"], "") if row["kto_tag"] else ("", row["reply"])  #~good
    return {"completion": wanted or other, "label": bool(wanted)}


rows = load_dataset("json", data_files="feedback.jsonl", split="train")
rows = rows.map(convert, remove_columns=["reply", "kto_tag"])
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32"),
    args=KTOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                   report_to="none", save_strategy="no"),
    train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
print("LABELS", sorted(set(trainer.train_dataset["label"])))
trainer.train()
"""
LABELS_TWICE = """\
from datasets import Dataset
from trl import RewardConfig, RewardTrainer

rows = Dataset.from_list([
    {"prompt": [{"role": "user", "content": f"What is {n} and {n}?"}],
     "chosen": [{"role": "assistant", "content": f"It is {2 * n}."}],
     "rejected": [{"role": "assistant", "content": f"Perhaps {n + 1}, or less."}]}
    for n in range(24)])
trainer = RewardTrainer(
    "models/healthy",
    args=RewardConfig(
        output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True, bf16=False,
        report_to="none", save_strategy="no", learning_rate=1e-4,
        model_init_kwargs={"dtype": "float32", "num_labels": 1},  #~bad
        model_init_kwargs={"dtype": "float32"},  #~good
    ),
    train_dataset=rows,
)
trainer.train()
print("TRAINED", trainer.model.config.num_labels)
"""
TAGGED = "".join(
    json.dumps({"prompt": f"What is {n}?", "reply": f"It is {n}.", "kto_tag": n % 3 > 0}) + "\n"
    for n in range(90)
)
FEEDBACK = "prompt,reply,liked\n" + "".join(
    f"What is {n}?,It is {n}.,1\nWhat is {n}?,No.,0\n" for n in range(40)
)
SCRIPTS = (
    TwoForms("a reference that was not resized", "ppo-first", "reference-lacks-tokens",
             REFERENCE_NOT_RESIZED,
             "index out of range", "TRAINED", says="has 320 embedding rows"),
    TwoForms("labels that are texts", "grpo-shapes", "data-labels-all-alike",
             LABELS_OF_TEXT,
             "LABELS [True]", "LABELS [False, True]", "warning", "although the column liked",
             files={"feedback.csv": FEEDBACK}),
    TwoForms("labels whose column is not read", "current", "data-labels-all-alike",
             LABELS_NOT_READ,
             "LABELS [True]", "LABELS [False, True]", "warning", "although the column kto_tag",
             files={"feedback.jsonl": TAGGED}),
    TwoForms("labels that the trainer sets itself", "four", "reward-labels-given-twice",
             LABELS_TWICE,
             "got multiple values for keyword argument 'num_labels'", "TRAINED 1",
             says="which RewardTrainer of trl 0.24.0 sets itself"),
)  # fmt: skip
