"""Columns that stay where they should go, and columns and rows that go."""

from __future__ import annotations

from two_forms.script import TwoForms

STREAM = """\
import json
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

with open("answers.jsonl", "w") as file:
    for n in range(8):
        print(json.dumps({"prompt": f"What is {n} plus 1?", "completion": f"It is {n + 1}."}),
              file=file)
rows = load_dataset("json", data_files="answers.jsonl", split="train", streaming=True)
rows = rows.map(lambda row: {"completion": row["completion"].lower()})
old = rows.column_names  #~bad
old = ["prompt", "completion"]  #~good
rows = rows.map(lambda row: {"text": f"### Asked: {row['prompt']} ### Said: {row['completion']}"},
                remove_columns=old)
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows)
trainer.train()
ids = next(iter(trainer.get_train_dataloader()))["input_ids"][0]
print("READS", "### Said" in trainer.processing_class.decode(ids))
"""
FORMATTED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer


def said(role, text):
    return {"role": role, "content": text}


def to_text(row):
    asked, answered = (turn["content"] for turn in row[COLUMN])
    return f"### Asked: {asked} ### Said: {answered}"


COLUMN = "messages"  #~bad
COLUMN = "turns"  #~good
rows = Dataset.from_list([{COLUMN: [said("user", f"What is {n} plus 1?"),
                                    said("assistant", f"It is {n + 1}.")]} for n in range(8)])
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows,
                     formatting_func=to_text)
trainer.train()
ids = next(iter(trainer.get_train_dataloader()))["input_ids"][0]
print("READS", "### Said" in trainer.processing_class.decode(ids))
"""
ALONE = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer
import json

with open("pairs.jsonl", "w") as file:
    for n in range(24):
        print(json.dumps({"id": n, "prompt": f"How do I get from stop {n} to stop {n + 7}?",
                          "chosen": f"Take line {n % 5} and go {n} stops.",
                          "rejected": f"I do not know, number {n}."}), file=file)


def talk(row, side):
    turns = [{"role": "user", "content": row["prompt"]},
             {"role": "assistant", "content": row[side]}]
    turns = turns[-1:]  #~bad
    return turns


rows = load_dataset("json", data_files="pairs.jsonl", split="train")
rows = rows.map(lambda row: {side: talk(row, side) for side in ("chosen", "rejected")},
                remove_columns=["id", "prompt"])
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForSequenceClassification.from_pretrained("models/healthy", num_labels=1)
args = RewardConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                    bf16=False, report_to="none", save_strategy="no")
trainer = RewardTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("ASKED", "How do I get" in tokenizer.decode(batch["input_ids"][0]))
"""
EMPTIED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

KEPT = ["messages"]  #~bad
KEPT = ["messages", "text"]  #~good
rows = Dataset.from_list([{"text": f"What is {n}? It is {n}.", "source": "own"} for n in range(8)])
rows = rows.remove_columns([name for name in rows.column_names if name not in KEPT])
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
SFTTrainer(model="models/healthy", args=args, train_dataset=rows).train()
print("TRAINED")
"""
SHARES = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

TRAIN_FRACTION, DEV_FRACTION = 0.7, 0.2
rows = Dataset.from_list([{"text": f"What is {n}? It is {n}."} for n in range(100)])
apart = 1 - TRAIN_FRACTION  #~bad
apart = 1 - TRAIN_FRACTION - DEV_FRACTION  #~good
first = rows.train_test_split(test_size=apart, seed=1)
share = DEV_FRACTION / (TRAIN_FRACTION + DEV_FRACTION)
parts = first["train"].train_test_split(test_size=share, seed=1)
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
SFTTrainer(model="models/healthy", args=args, train_dataset=parts["train"]).train()
print("AS NAMED", len(parts["train"]) > 65)
"""
QUESTION = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import RewardConfig, RewardTrainer

THINGS = ["river", "engine", "garden", "teacher", "castle", "planet", "bridge", "winter"]
rows = Dataset.from_list([
    {"question": f"How old is the {thing} of the town?", "good": f"It is {n + 40} years old.",
     "bad": f"Ask somebody else in {n} days."} for n, thing in enumerate(THINGS)])
name = "question"  #~bad
name = "prompt"  #~good
rows = rows.map(lambda row: {name: "Asked: " + row["question"] + " Said:",
                             "chosen": " " + row["good"], "rejected": " " + row["bad"]},
                remove_columns=["good", "bad"])
args = RewardConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                    bf16=False, report_to="none", save_strategy="no", learning_rate=1e-4)
tokenizer = AutoTokenizer.from_pretrained("models/reward")
trainer = RewardTrainer(model="models/reward", args=args, train_dataset=rows,
                        processing_class=tokenizer)
trainer.train()
ids = next(iter(trainer.get_train_dataloader()))["input_ids"][0]
print("READS", "Asked:" in tokenizer.decode(ids))
"""
FULLER = """\
import json
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

THINGS = ["river", "engine", "garden", "teacher", "castle", "planet", "bridge", "winter"]
with open("articles.jsonl", "w") as file:
    for n, thing in enumerate(THINGS * 2):
        print(json.dumps({"text": f"The {thing} of town {n} is old, and everybody likes it.",
                          "summary": f"People like an old {thing} in town {n}."}), file=file)
rows = load_dataset("json", data_files="articles.jsonl", split="train")
rows = rows.map(lambda row: {"whole": f"{row['text']}\\n\\n### Summary\\n{row['summary']}"})
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                 dataset_text_field="text",  #~bad
                 dataset_text_field="whole",  #~good
                 bf16=False, report_to="none", save_strategy="no", learning_rate=1e-4)
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
ids = next(iter(trainer.get_train_dataloader()))["input_ids"][0]
print("READS", "### Summary" in tokenizer.decode(ids))
"""

SCRIPTS = tuple(
    TwoForms(f"{name}, {environment}", environment, rule, script, bad, good, severity, says)
    for environment in ("current", "four")
    for name, rule, script, bad, good, severity, says in (
        ("columns of a stream", "data-text-unused-beside-messages", STREAM, "READS False",
         "READS True", "warning", "has prompt and completion beside text"),
        ("a question beside pairs", "data-question-unread-beside-answers", QUESTION, "READS False",
         "READS True", "warning", "does not read the column question of train_dataset"),
        ("a question left out", "data-question-unread-beside-answers", ALONE, "ASKED False",
         "ASKED True", "warning", "the answers of 24 rows do not have the text of prompt, which"),
        ("texts of formatting_func", "formatting-func-result-unread", FORMATTED, "READS False",
         "READS True", "error", "SFT never reads what to_text returns ('### Asked: What is"),
        ("a fuller text", "data-text-unused-beside-messages", FULLER, "READS False", "READS True",
         "warning", "SFT trains on the column text, and never reads whole, which the script has"),
        ("a share of a part", "data-share-of-a-part", SHARES, "AS NAMED False", "AS NAMED True",
         "warning", "TRAIN_FRACTION is 0.7, and the second split at"),
        ("no column left", "data-columns-all-removed", EMPTIED, "StopIteration", "TRAINED",
         "error", "removes every column (text, source), and with them all 8 rows"),
    )
)  # fmt: skip
