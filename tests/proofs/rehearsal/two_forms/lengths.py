"""Lengths that are counted in the wrong unit or text: of a schedule, a mask; and a lost option."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SCHEDULE = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, get_cosine_schedule_with_warmup
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_list([{"prompt": f"{n} is?", "completion": f" {n}."} for n in range(80)])
batch, accumulated = 2, 8
total = len(rows) // batch  #~bad
total = len(rows) // (batch * accumulated)  #~good
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, 1, total)
args = SFTConfig(output_dir="out", num_train_epochs=1, per_device_train_batch_size=batch,
                 gradient_accumulation_steps=accumulated, logging_steps=1, report_to="none",
                 use_cpu=True, bf16=False)
trainer = SFTTrainer(model=model, args=args, train_dataset=rows, optimizers=(optimizer, schedule))
trainer.train()
rates = [entry["learning_rate"] for entry in trainer.state.log_history if "learning_rate" in entry]
print("ENDS", "HIGH" if float(rates[-1]) > 9e-4 else "LOW")
"""
MASK = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForSeq2Seq
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
raw = load_dataset("json", data_files="sums.jsonl", split="train")
SYSTEM = {"role": "system", "content": "You are a patient teacher of numbers and explain a lot."}


def build(row):
    asked = [SYSTEM, {"role": "user", "content": row["question"]}]
    said = {"role": "assistant", "content": row["answer"]}
    whole = tokenizer.apply_chat_template([*asked, said], tokenize=False)
    ids = tokenizer(whole)["input_ids"]
    prompt = row["question"]  #~bad
    more = {"tokenize": False, "add_generation_prompt": True}
    prompt = tokenizer.apply_chat_template(asked, **more)  #~good
    masked = len(tokenizer(prompt)["input_ids"])
    return {"input_ids": ids, "attention_mask": [1] * len(ids),
            "labels": [-100] * masked + ids[masked:]}


rows = raw.map(build, remove_columns=raw.column_names)
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False, dataset_kwargs={"skip_prepare_dataset": True})
trainer = SFTTrainer(model=AutoModelForCausalLM.from_pretrained("models/healthy"), args=args,
                     train_dataset=rows, processing_class=tokenizer,
                     data_collator=DataCollatorForSeq2Seq(tokenizer))
trainer.train()
learned = tokenizer.decode([label for label in rows[0]["labels"] if label != -100])
print("LEARNS", "THE QUESTION" if "sum of" in learned else "THE ANSWER")
"""
OPTION = """\
import argparse
import sys
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

sys.argv += "--learning_rate 5e-5 --local_rank 0".split()  #~bad
sys.argv += "--lr 5e-5 --local_rank 0".split()  #~good
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
options, _ = parser.parse_known_args()
rows = Dataset.from_list([{"prompt": f"{n} is?", "completion": f" {n}."} for n in range(16)])
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False, learning_rate=options.lr,
                 model_init_kwargs={"dtype": "float32"})
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows)
trainer.train()
print("RATE", args.learning_rate)
"""

CUT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="texts.jsonl", split="train")
rows = rows.map(lambda row: {"text": " ".join(row["text"].split()[:30])})  #~bad
rows = rows.filter(lambda row: len(row["text"].split()) <= 40)  #~good
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False)
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows)
trainer.train()
print("ENDS", sum(row["text"].endswith("end.") for row in rows) == len(rows))
"""
ASKED = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

rows = load_dataset("json", data_files="texts.jsonl", split="train")
rows = rows.map(lambda row: {"prompt": row["asked"][:60]})  #~bad
rows = rows.map(lambda row: {"prompt": row["asked"]})  #~good
args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, num_generations=4,
                  max_completion_length=8, report_to="none", use_cpu=True, bf16=False)


def score(completions, **kwargs):
    return [float(len(set(text))) for text in completions]


trainer = GRPOTrainer(model="models/healthy", args=args, train_dataset=rows, reward_funcs=score)
trainer.train()
print("ENDS", all(row["prompt"].endswith("?") for row in rows))
"""
TEXTS = "".join(
    json.dumps({"text": " ".join(f"river{n * k} {'ab'[k % 2] * (n * k % 7 + 1)}"
                                 for k in range(1, 12 + n % 16)) + " to its end.",
                "asked": f"Given {' and '.join(f'river{n * k}' for k in range(3, n % 9 + 9))}, "
                         "where is the end?"}) + "\n"
    for n in range(1, 41)
)  # fmt: skip
SUMS = "".join(
    json.dumps({"question": f"What is the sum of {n} and {n}{' apples' * (n % 5)}?",
                "answer": f"It is {2 * n}."}) + "\n"
    for n in range(40)
)  # fmt: skip

SCRIPTS = (
    TwoForms("a schedule of batches", "current", "schedule-outlasts-run", SCHEDULE,
             "ENDS HIGH", "ENDS LOW", "warning", "schedule ends at step"),
    TwoForms("a mask of the bare question", "four", "data-labels-begin-inside-texts", MASK,
             "LEARNS THE QUESTION", "LEARNS THE ANSWER", "warning", "begin inside a text",
             {"sums.jsonl": SUMS}),
    TwoForms("an option that is dropped", "current", "argument-dropped-by-parser", OPTION,
             "RATE 0.001", "RATE 5e-05", "warning", "drops --learning_rate 5e-5"),
    TwoForms("texts of thirty words", "current", "data-texts-cut-off", CUT,
             "ENDS False", "ENDS True", "warning", "rows stop after 30 words inside a sentence",
             {"texts.jsonl": TEXTS}),
    TwoForms("questions of sixty characters", "four", "data-question-cut-off", ASKED,
             "ENDS False", "ENDS True", "warning", "are cut to 60 characters inside their question",
             {"texts.jsonl": TEXTS}),
)  # fmt: skip
