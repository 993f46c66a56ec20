"""Functions of `map` and `filter` that take something else than the rows have."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SFT = """\
from datasets import ClassLabel, Dataset, Features, Value
from trl import SFTConfig, SFTTrainer

ROWS
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False)
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=dataset)
trainer.train()
print("LEARNS", dataset[0]["completion"])
"""
KTO = """\
from datasets import Dataset
from trl import KTOConfig, KTOTrainer
from transformers import AutoTokenizer

ROWS
args = KTOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, report_to="none",
                 use_cpu=True, bf16=False)
trainer = KTOTrainer(model="models/healthy", args=args, train_dataset=dataset,
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
print("LABELS", sorted(set(trainer.train_dataset["label"])))
"""
FROM_ONE = """\
rows = [{"question": f"{n}?", "choices": ["one", "two", "three"], "answer": n % 3}
        for n in range(24)]


def build(row):
    answer = row["choices"][row["answer"] - 1]  #~bad
    answer = row["choices"][row["answer"]]  #~good
    return {"prompt": row["question"], "completion": answer}


dataset = Dataset.from_list(rows)
dataset = dataset.map(build, remove_columns=dataset.column_names)
"""
NAMED = """\
LABELS = ["positive", "negative"]  #~bad
LABELS = ["negative", "positive"]  #~good
kinds = Features({"text": Value("string"), "label": ClassLabel(names=["negative", "positive"])})
rows = Dataset.from_list([{"text": f"{n} so", "label": n % 2} for n in range(24)], features=kinds)
dataset = rows.map(lambda row: {"prompt": row["text"], "completion": LABELS[row["label"]]},
                   remove_columns=rows.column_names)
"""
TRUTH = """\
rows = [{"prompt": f"{n} is?", "completion": f"{n}.", "rated_good": str(n % 2 == 0)}
        for n in range(24)]
dataset = Dataset.from_list(rows).map(
    lambda row: {"label": bool(row["rated_good"])},  #~bad
    lambda row: {"label": row["rated_good"] == "True"},  #~good
    remove_columns=["rated_good"],
)
"""
NOTHING = """\
rows = [{"prompt": f"{n} is?", "completion": f" {n}<br>"} for n in range(24)]


def clean(row):
    row["completion"] = row["completion"].replace("<br>", ".")
    return row  #~good


dataset = Dataset.from_list(rows).map(clean)
"""
SCORES = """\
rows = [{"question": f"{n} is?", "a": "better", "b": "worse", "score_a": str(10 + n % 4),
         "score_b": str(9 - n % 4)} for n in range(24)]


def best(row):
    first = row["score_a"] > row["score_b"]  #~bad
    first = float(row["score_a"]) > float(row["score_b"])  #~good
    return {"prompt": row["question"], "completion": " " + row["a" if first else "b"]}


dataset = Dataset.from_list(rows).map(best, remove_columns=list(rows[0]))
"""
ROOMS = [
    {
        "messages": [
            {"role": "system", "content": f"You are the guide of room {n}."},
            {"role": "user", "content": f"What is in room {n}?"},
            {"role": "assistant", "content": f"There are {n} chairs."},
        ]
    }
    for n in range(24)
]
SYSTEM = """\
from datasets import load_dataset


def build(row):
    turns = row["messages"]
    if turns[0]["role"] != "user":  #~bad
        turns = turns[1:]  #~bad
    texts = [f"<|im_start|>{turn['role']}, {turn['content']}<|im_end|>" for turn in turns]
    return {"prompt": "Talk. ", "completion": "".join(texts)}


dataset = load_dataset("json", data_files="rooms.jsonl", split="train")
dataset = dataset.map(build, remove_columns=["messages"])
"""

WINNERS = """\
from datasets import Dataset
from trl import DPOConfig, DPOTrainer

rows = [{"question": f"{n} is?", "a": "better" if n % 2 else "worse",
         "b": "worse" if n % 2 else "better", "winner": "a" if n % 2 else "b"} for n in range(24)]


def pair(row):
    first = row["winner"] == "A"  #~bad
    first = row["winner"] == "a"  #~good
    best, other = (row["a"], row["b"]) if first else (row["b"], row["a"])
    return {"prompt": row["question"], "chosen": f" {best}", "rejected": f" {other}"}


dataset = Dataset.from_list(rows).map(pair, remove_columns=list(rows[0]))
chosen = {*dataset["chosen"]}
args = DPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 use_cpu=True, bf16=False)
trainer = DPOTrainer(model="models/healthy", args=args, train_dataset=dataset)
trainer.train()
print("CHOOSES", len(chosen))
"""
GRPO = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

rows = [{"question": f"{n} and {n} is?", "answer": str(2 * n)} for n in range(2, 26)]


def nearest(number):
    others = sorted(rows, key=lambda row: abs(int(row["answer"]) - int(rows[number]["answer"])))
    return others[:2]  #~bad
    return others[1:3]  #~good


def build(row, number):
    shots = "".join(f"Q: {one['question']}\\nA: {one['answer']}\\n\\n" for one in nearest(number))
    return {"prompt": [{"role": "user", "content": f"{shots}Q: {row['question']}\\nA:"}]}


def score(completions, answer, **kwargs):
    return [float(one in said[0]["content"]) for one, said in zip(answer, completions)]


dataset = Dataset.from_list(rows).map(build, with_indices=True)
args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, num_generations=4,
                  max_completion_length=8, report_to="none", use_cpu=True, bf16=False)
trainer = GRPOTrainer(model="models/healthy", reward_funcs=score, args=args, train_dataset=dataset)
trainer.train()
prompt = trainer.train_dataset[0]["prompt"][0]["content"]
print("ASKS", prompt.count("2 and 2 is?"), "TIMES")
"""


def _both(
    name: str, rule: str, script: str, bad: str, good: str, says: str, **files: str
) -> list[TwoForms]:
    """The same script with two releases; `files` are its rows, by name without `.jsonl`."""
    rows = {f"{file}.jsonl": text for file, text in files.items()}
    return [
        TwoForms(
            f"{name}, {environment}", environment, rule, script, bad, good, "warning", says, rows
        )
        for environment in ("current", "four")
    ]


SCRIPTS = (
    *_both("choices from one", "data-counted-from-one", SFT.replace("ROWS", FROM_ONE),
           "LEARNS three", "LEARNS one", "takes 1 from answer before it looks a value up"),
    *_both("labels turned", "data-labels-in-other-order", SFT.replace("ROWS", NAMED),
           "LEARNS positive", "LEARNS negative", "calls label 0 'positive', and the data call it"),
    *_both("nothing returned", "data-map-returns-nothing", SFT.replace("ROWS", NOTHING),
           "LEARNS  0<br>", "LEARNS  0.", "clean returns nothing"),
    *_both("numbers as texts", "data-numbers-are-texts", SFT.replace("ROWS", SCORES),
           "LEARNS  worse", "LEARNS  better", "where '10' is smaller than '9'"),
    *_both("system messages", "data-system-messages-lost", SFT.replace("ROWS", SYSTEM),
           "LEARNS <|im_start|>user", "LEARNS <|im_start|>system",
           "the system messages of 24 rows are not in what is trained on",
           rooms="".join(f"{json.dumps(row)}\n" for row in ROOMS)),
    *_both("another capital", "data-value-never-matched", WINNERS,
           "CHOOSES 2", "CHOOSES 1",
           "compares winner with 'A': no row that was read has it, and the data write"),
    *_both("text as truth", "data-text-as-truth", KTO.replace("ROWS", TRUTH),
           "LABELS [True]", "LABELS [False, True]", "takes the text of rated_good"),
    *_both("own example", "data-examples-have-answer", GRPO, "ASKS 2 TIMES", "ASKS 1 TIMES",
           "the question of 24 of 24 rows"),
)  # fmt: skip
