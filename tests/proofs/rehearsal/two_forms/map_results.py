"""Functions of `map` whose results show the mistake: beside scores, ties, votes and questions."""

from __future__ import annotations

from two_forms.map_functions import KTO, SFT
from two_forms.script import TwoForms

DPO = """\
from datasets import Dataset
from trl import DPOConfig, DPOTrainer
from transformers import AutoModelForCausalLM, AutoTokenizer

ROWS
args = DPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False, learning_rate=1e-4)
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
trainer = DPOTrainer(model=model, args=args, train_dataset=dataset,
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
print("PAIRS", len(dataset), dataset[2]["chosen"][0]["content"])
"""
RATED = """\
rows = [{"instruction": f"What is {n}?", "completions": [
    {"response": f"{n} is a number.", "overall_score": 9 - n % 2},
    {"response": f"I do not know {n}.", "overall_score": 2 + n % 3}]} for n in range(24)]


def build(row):
    ranked = sorted(row["completions"], key=lambda one: one["overall_score"])  #~bad
    ranked = sorted(row["completions"], key=lambda one: -one["overall_score"])  #~good
    best, worst = (one["response"] for one in (ranked[0], ranked[-1]))
    return {"prompt": [{"role": "user", "content": row["instruction"]}],
            "chosen": [{"role": "assistant", "content": best}],
            "rejected": [{"role": "assistant", "content": worst}]}


dataset = Dataset.from_list(rows)
dataset = dataset.map(build, remove_columns=dataset.column_names)
"""
TIES = """\
rows = [{"question": f"What is {n}?", "winner": ("model_a", "model_b", "tie")[n % 3],
         "first": f"{n} is a number.", "second": f"I do not know {n}."} for n in range(24)]


def build(row):
    a = [{"role": "assistant", "content": row["first"]}]
    b = [{"role": "assistant", "content": row["second"]}]
    if row["winner"] == "model_a":
        pair = {"chosen": a, "rejected": b}
    else:
        pair = {"chosen": b, "rejected": a}
    return {"prompt": [{"role": "user", "content": row["question"]}], **pair}


dataset = Dataset.from_list(rows)
dataset = dataset.filter(lambda row: row["winner"] != "tie")  #~good
dataset = dataset.map(build, remove_columns=dataset.column_names)
"""
VOTES = """\
rows = [{"prompt": f"{n} is?", "completion": f"{n}.", "vote": 1 if n % 3 else -1}
        for n in range(24)]
dataset = Dataset.from_list(rows).map(
    lambda row: {"label": bool(row["vote"])},  #~bad
    lambda row: {"label": row["vote"] > 0},  #~good
    remove_columns=["vote"],
)
"""
CONTEXT = """\
rows = [{"context": "It rained for days. " * (n % 8 + 1), "question": f"What is {n} plus {n}?",
         "answer": f"{2 * n}."} for n in range(40)]


def build(row):
    text = f"Context: {row['context']}\\nQuestion: {row['question']}"[:100]  #~bad
    text = f"Context: {row['context'][:100]}\\nQuestion: {row['question']}"  #~good
    return {"prompt": [{"role": "user", "content": text}],
            "completion": [{"role": "assistant", "content": row["answer"]}]}


dataset = Dataset.from_list(rows)
dataset = dataset.map(build, remove_columns=dataset.column_names)
print("ASKED", sum("What is" in row["prompt"][0]["content"] for row in dataset))
"""

EMPTIED = """\
from datasets import Dataset, concatenate_datasets
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def tokenized(batch):
    ids = tokenizer(batch["text"])["input_ids"]
    return {"text": [], "input_ids": ids}  #~bad
    return {"input_ids": ids}  #~good


pages = Dataset.from_dict({"text": [f"Page {n} of the book." for n in range(20)]})
pages = pages.map(tokenized, batched=True)  #~bad
pages = pages.map(tokenized, batched=True, remove_columns=["text"])  #~good
talks = Dataset.from_dict({"input_ids": tokenizer(["Why? So.", "How? Well."] * 8)["input_ids"]})
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False, save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args,
                     train_dataset=concatenate_datasets([talks, pages]))
trainer.train()
print("ROWS", len(trainer.train_dataset))
"""

SCRIPTS = (
    TwoForms("a column is emptied", "current", "data-map-empties-column",
             EMPTIED, "ROWS 16", "ROWS 36",
             says="datasets drops these rows, 20 of 20"),
    TwoForms("the worst is chosen", "current", "data-pairs-are-reversed",
             DPO.replace("ROWS", RATED), "PAIRS 24 I do not know 2.", "PAIRS 24 2 is a number.",
             "warning", "chooses the answer with the lower overall_score in 24 of 24 rows"),
    TwoForms("ties", "current", "data-tie-counts-as-win", DPO.replace("ROWS", TIES),
             "PAIRS 24 I do not know 2.", "PAIRS 16 3 is a number.", "warning",
             "8 of 24 rows are pairs without a better answer"),
    TwoForms("votes as truth", "current", "data-text-as-truth", KTO.replace("ROWS", VOTES),
             "LABELS [True]", "LABELS [False, True]", "warning", "takes vote for true or false"),
    TwoForms("a question is cut off", "current", "data-question-cut-off",
             SFT.replace("ROWS", CONTEXT), "ASKED 15", "ASKED 40", "warning",
             "of 40 rows have lost their question"),
)  # fmt: skip
