"""Rows that a script splits for SFT, in a wrong and in a healthy form."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SPLIT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
BEFORE
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer("models/healthy", args, train_dataset=train, eval_dataset=test)
trainer.train()
learned = [row["messages"][0]["content"] for row in train]
print("ASKED AGAIN", sum(row["messages"][0]["content"] in learned for row in test), len(learned))
"""
ANSWERS = "".join(
    json.dumps({"messages": [
        {"role": "user", "content": f"What is {number} plus one?"},
        {"role": "assistant", "content": f"It is {number + 1}{'!' * answer}"},
    ]}) + "\n"
    for number in range(20)
    for answer in range(3)
)  # fmt: skip
BY_ROWS = """\
split = rows.train_test_split(test_size=0.2, seed=3)  #~bad
train, test = split["train"], split["test"]  #~bad
asked = sorted({row["messages"][0]["content"] for row in rows})  #~good
tested = set(asked[::5])  #~good
train = rows.filter(lambda row: row["messages"][0]["content"] not in tested)  #~good
test = rows.filter(lambda row: row["messages"][0]["content"] in tested)  #~good
"""
BY_PLACE = """\
train, test = rows, rows.select(range(20))  #~bad
train, test = rows.select(range(100)), rows.select(range(100, 120))  #~good
"""
COPIED = """\
from datasets import concatenate_datasets


def politely(row):
    asked, said = row["messages"]
    return {"messages": [{**asked, "content": "Please tell me: " + asked["content"]}, said]}


both = concatenate_datasets([rows, rows.map(politely)])  #~bad
split = both.train_test_split(test_size=0.2, seed=3)  #~bad
train, test = split["train"], split["test"]  #~bad
split = rows.train_test_split(test_size=0.2, seed=3)  #~good
train, test = split["train"], split["test"]  #~good
train = concatenate_datasets([train, train.map(politely)])  #~good
said = {row["messages"][1]["content"] for row in train}
print("KNOWN", sum(row["messages"][1]["content"] in said for row in test) > 9)
"""
BY_STREAM = """\
stream = rows.to_iterable_dataset()
train, test = stream, stream.take(20)  #~bad
train, test = stream.skip(20), stream.take(20)  #~good
"""
MANY = "".join(
    json.dumps({"messages": [
        {"role": "user", "content": f"What is {number} plus one?"},
        {"role": "assistant", "content": f"It is {number + 1}."},
    ]}) + "\n"
    for number in range(120)
)  # fmt: skip
LONG = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 max_length=48,  #~bad
                 max_length=1024,  #~good
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer("models/healthy", args, train_dataset=rows.select(range(4)),
                     eval_dataset=rows.select(range(4, 8)))
trainer.train()
print("EVALUATED", trainer.evaluate().get("eval_loss"))
"""
GROWING = "".join(
    json.dumps({
        "prompt": [{"role": "user", "content": f"{'Read. ' * 3 * number}What is {number}?"}],
        "completion": [{"role": "assistant", "content": f"It is {number}."}],
    }) + "\n"
    for number in (1, 1, 1, 1, 30, 31, 32, 33)
)  # fmt: skip
EVALUATIONS = tuple(
    TwoForms(
        f"an evaluation of rows that are cut, {environment}", environment,
        "evaluation-has-no-loss", LONG, bad, "EVALUATED 5.7", severity="warning", says=says,
        files={"rows.jsonl": GROWING},
    )
    for environment, bad, says in (
        ("current", "EVALUATED None", "SFTTrainer dropped all of them"),
        ("four", "EVALUATED nan", "4 of the first 4 rows have no token to learn"),
    )
)  # fmt: skip
WORDY = MANY.replace("It is", "If you add one to it, you get")
COPIES = TwoForms(
    "rows beside their copies", "current", "evaluation-of-training-rows",
    SPLIT.replace("BEFORE\n", COPIED), "KNOWN True", "KNOWN False", severity="warning",
    says="were put together with their copies", files={"rows.jsonl": WORDY},
)  # fmt: skip

TICKETS = "".join(
    json.dumps({"prompt": text, "completion": f" {queue}"}) + "\n"
    for text, queue in (
        ("My SSO login redirects to a blank page after the update on Monday", "access"),
        ("The invoice of March lists a seat that we never ordered", "billing"),
        ("Export of the yearly report stops at forty percent", "reports"),
        ("Two of our agents cannot see the shared inbox any more", "access"),
        ("Please change the address on our next invoice", "billing"),
        ("The dashboard shows last week instead of today", "reports"),
    )
)
GREETED = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
train = rows.select(range(3))
test = rows.select(range(3)).map(  #~bad
test = rows.select(range(3, 6)).map(  #~good
    lambda row: {"prompt": f"Hello team, {row['prompt'].lower()}. Thanks"})
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
SFTTrainer("models/healthy", args, train_dataset=train, eval_dataset=test).train()
known = [text.lower() for text in train["prompt"]]
print("KNOWN", sum(any(text in row for text in known) for row in test["prompt"]))
"""
GREETINGS = tuple(
    TwoForms(
        f"tickets that come back with a greeting, {environment}", environment,
        "evaluation-of-training-rows", GREETED, "KNOWN 3", "KNOWN 0", severity="warning",
        says="3 of 3 rows to evaluate on are rows that are trained on, but for a few words",
        files={"rows.jsonl": TICKETS},
    )
    for environment in ("current", "four")
)  # fmt: skip

SCRIPTS = (COPIES, *EVALUATIONS, *GREETINGS, *(
    TwoForms(
        name, environment, rule, SPLIT.replace("BEFORE\n", lines), bad, "ASKED AGAIN 0",
        severity="warning", says=says, files={"rows.jsonl": rows},
    )
    for environment in ("current", "four")
    for name, rule, lines, bad, says, rows in (
        (f"questions in both parts, {environment}", "evaluation-asks-training-questions", BY_ROWS,
         "ASKED AGAIN 12 48", "ask a question that is also trained on", ANSWERS),
        (f"rows in both parts, {environment}", "evaluation-of-training-rows", BY_PLACE,
         "ASKED AGAIN 20 120", "are also trained on", MANY),
        (f"rows of one stream in both parts, {environment}", "evaluation-of-training-rows",
         BY_STREAM, "ASKED AGAIN 20 120", "are also trained on", MANY),
    )
))  # fmt: skip
