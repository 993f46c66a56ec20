"""Scripts that take one thing for another: real runs show it, the doctor reports it.

The marks at the ends of lines are those of `two_forms.many`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from two_forms.many import Script, assert_shown_and_told
from two_forms.script import by_environment

ARGS = """output_dir="out", per_device_train_batch_size=2, logging_steps=1, use_cpu=True,
                  max_steps=2, bf16=False, report_to="none", save_strategy="no",
                  learning_rate=1e-3"""
SPLIT = f"""\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

MAX_TOKENS = 48
tok = AutoTokenizer.from_pretrained("models/healthy")
tok.chat_template = (
    "{{% for turn in messages %}}[{{{{ turn['role'] }}}}] "
    "{{{{ turn['content'] }}}}<|im_end|>{{% endfor %}}"
)
rows = load_dataset("json", data_files="rows.jsonl", split="train")


def talk(row):
    answer = row["answer"]
    answer = row["answer"][:MAX_TOKENS]  #~bad
    return {{"messages": [{{"role": "user", "content": row["question"]}},
                         {{"role": "assistant", "content": answer}}]}}


rows = rows.map(talk, remove_columns=rows.column_names)
mixed = rows.shuffle(seed=1)
train = mixed.select(range(200))
test = rows.select(range(200, 240))  #~bad
test = mixed.select(range(200, 240))  #~good
args = SFTConfig({ARGS}, eval_strategy="steps", eval_steps=2)
trainer = SFTTrainer("models/healthy", args=args, train_dataset=train, eval_dataset=test,
                     processing_class=tok)
learned = [str(talk) for talk in train["messages"]]
print("AGAIN", any(str(talk) in learned for talk in test["messages"]))
print("WHOLE", all(talk[1]["content"].endswith(".") for talk in train["messages"]))
trainer.train()
trainer.save_model("final")
AutoTokenizer.from_pretrained("models/healthy").save_pretrained("final")  #~bad
print("TEMPLATE", AutoTokenizer.from_pretrained("final").chat_template == tok.chat_template)
"""
MASK = f"""\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
rows = load_dataset("json", data_files="rows.jsonl", split="train")


def encode(row):
    ids = tok(row["question"] + row["answer"])["input_ids"]
    length = len(row["question"].split())  #~bad
    length = len(tok(row["question"])["input_ids"])  #~good
    return {{"input_ids": ids, "completion_mask": [0] * length + [1] * (len(ids) - length)}}


rows = rows.map(encode, remove_columns=rows.column_names)
trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}, completion_only_loss=True),
                     train_dataset=rows, processing_class=tok)
batch = trainer.data_collator([trainer.train_dataset[0]])
labels = [label for label in batch["labels"][0].tolist() if label != -100]
print("LEARNED", tok.decode(labels))
trainer.train()
"""
VOTES = f"""\
from collections import defaultdict

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

votes = load_dataset("json", data_files="votes.jsonl", split="train")


def both(batch):
    out = {{"prompt": [], "completion": [], "label": []}}
    for prompt, a, b, better in zip(*(batch[name] for name in ("prompt", "a", "b", "better"))):
        out["prompt"] += [prompt, prompt]
        out["completion"] += [a, a]  #~bad
        out["completion"] += [a, b]  #~good
        out["label"] += [better == 1, better == 2]
    return out


rows = votes.map(both, batched=True, remove_columns=votes.column_names)
labels = defaultdict(set)
for row in rows:
    labels[row["prompt"], row["completion"]].add(row["label"])
print("BOTH", sum(len(values) == 2 for values in labels.values()))
trainer = KTOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"), train_dataset=rows,
    processing_class=AutoTokenizer.from_pretrained("models/healthy"), args=KTOConfig({ARGS}),
)
trainer.train()
"""
PAIRS = f"""\
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

votes = load_dataset("json", data_files="votes.jsonl", split="train")
pairs = [
    {{"prompt": vote["prompt"], "chosen": one, "rejected": other}}
    for vote in votes
    for one, other in ((vote["a"], vote["b"]), (vote["b"], vote["a"]))
    if (one == vote["a"]) == (vote["better"] == 1)  #~good
]
seen = {{(pair["prompt"], pair["chosen"]) for pair in pairs}}
print("BOTH", sum((pair["prompt"], pair["rejected"]) in seen for pair in pairs))
rows = votes.from_list(pairs)
trainer = DPOTrainer("models/healthy", args=DPOConfig({ARGS}), train_dataset=rows)
trainer.train()
"""
REWARD = f"""\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification
from trl import GRPOConfig, GRPOTrainer, RewardConfig, RewardTrainer

votes = load_dataset("json", data_files="votes.jsonl", split="train")


def pair(vote):
    ask = {{"role": "user", "content": vote["prompt"]}}
    answers = [vote["a"], vote["b"]][:: 1 if vote["better"] == 1 else -1]
    chosen, rejected = ([ask, {{"role": "assistant", "content": text}}] for text in answers)
    return {{"chosen": chosen, "rejected": rejected}}


pairs = votes.map(pair, remove_columns=votes.column_names)
first = RewardTrainer("models/reward", train_dataset=pairs, args=RewardConfig({ARGS}))
first.train()
first.save_model("out/reward")
ask = votes.map(lambda vote: {{"prompt": [{{"role": "user", "content": vote["prompt"]}}]}},
                remove_columns=votes.column_names)
reward = "models/reward"  #~bad
reward = "out/reward"  #~good
trainer = GRPOTrainer("models/healthy", reward_funcs=reward, train_dataset=ask,
                      args=GRPOConfig({ARGS}, num_generations=2, max_completion_length=8))
start = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
head = trainer.reward_funcs[0].score.weight.detach().float()
print("UNTRAINED", start.score.weight.detach().float().equal(head))
trainer.train()
"""
PARTS = f"""\
import numpy as np
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
END = 29  #~bad
END = None  #~good
rows = rows.map(lambda row: {{"prompt": row["question"], "completion": row["answer"][:END]}},
                remove_columns=rows.column_names)
parts = rows.train_test_split(test_size=0.1, seed=1)
train, test = parts["test"], parts["train"]  #~bad
train, test = parts["train"], parts["test"]  #~good


def compute_metrics(given):
    guesses, labels = given.predictions.argmax(-1)[:, :-1], given.label_ids[:, 1:]
    right = guesses == labels
    return {{"accuracy": float(right.mean())}}  #~bad
    return {{"accuracy": float(right[labels != -100].mean())}}  #~good


class Right:
    label_ids = np.array([[-100, -100, 7, 8]])
    predictions = np.eye(9)[[[5, 7, 8, 0]]]


print("TRAINED", len(train))
print("WHOLE", all(text.endswith(".") for text in train["completion"]))
print("METRIC", compute_metrics(Right)["accuracy"] == 1)
trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=train,
                     eval_dataset=test.select(range(4)), compute_metrics=compute_metrics)
trainer.train()
"""
IDS = f"""\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
rows = load_dataset("json", data_files="rows.jsonl", split="train")
LIMIT = 56  #~bad
LIMIT = 512  #~good
rows = rows.map(
    lambda row: tok(row["question"] + row["answer"] + tok.eos_token, truncation=True,
                    max_length=LIMIT),
    remove_columns=rows.column_names,
)
trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows)
ends = [row["input_ids"][-1] == tok.eos_token_id for row in trainer.train_dataset]
print("END", any(ends), all(ends))
trainer.train()
"""
JOIN = f"""\
import pandas as pd
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

votes = pd.read_json("votes.jsonl", lines=True)
votes["day"] = votes.index // 3
key = "day"  #~bad
key = "prompt"  #~good
joined = votes[["prompt", "day"]].merge(votes[["prompt", "day", "b"]], on=key, suffixes=("", "_b"))
rows = Dataset.from_dict({{"prompt": list(joined["prompt"]), "completion": list(joined["b"])}})
wrong = sum(row["prompt"].split()[-1][:-1] != row["completion"].split()[1] for row in rows)
print("WRONG", wrong, "of", len(rows))
trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows)
trainer.train()
"""
FORM = f"""\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy").float()
rows = load_dataset("json", data_files="rows.jsonl", split="train[:12]")


def render(question, answer=""):
    return f"### Question:\\n{{question}}\\n### Answer:\\n{{answer}}"


train = rows.map(lambda row: {{"text": render(row["question"], row["answer"])}},
                 remove_columns=rows.column_names)
trainer = SFTTrainer(model, args=SFTConfig({ARGS}), train_dataset=train, processing_class=tok)
trainer.train()
prompt = rows[0]["question"]  #~bad
prompt = render(rows[0]["question"])  #~good
ids = tok(prompt, return_tensors="pt", add_special_tokens=False)
first = ids["input_ids"][0].tolist()[:3]
print("LEARNED", [row[:3] for row in trainer.train_dataset["input_ids"]].count(first))
model.generate(**ids, max_new_tokens=4)
"""
BOTH = ("BOTH 12", "BOTH 0")
SCRIPTS = (
    *(
        Script(
            f"splits in {environment}",
            environment,
            SPLIT,
            (
                ("AGAIN True", "AGAIN False"),
                ("WHOLE False", "WHOLE True"),
                ("TEMPLATE False", "TEMPLATE True"),
            ),
            (
                "data-limit-counts-characters",
                "evaluation-of-training-rows",
                "tokenizer-saved-is-another",
            ),
        )
        for environment in ("current", "four")
    ),
    Script(
        "a mask of words",
        "current",
        MASK,
        (("cat: how many", "LEARNED We count"),),
        ("data-labels-begin-inside-texts",),
    ),
    Script("votes", "four", VOTES, (BOTH,), ("data-answers-contradict",)),
    Script("pairs", "current", PAIRS, (("BOTH 24", "BOTH 0"),), ("data-answers-contradict",)),
    Script(
        "parts",
        "current",
        PARTS,
        (
            ("TRAINED 30", "TRAINED 270"),
            ("WHOLE False", "WHOLE True"),
            ("METRIC False", "METRIC True"),
        ),
        (
            "data-texts-cut-off",
            "evaluation-swapped-with-training",
            "metric-of-right-answers-is-low",
        ),
    ),
    *(
        Script(
            f"ids in {environment}",
            environment,
            IDS,
            (("END False False", "END True True"),),
            ("data-texts-cut-off",),
        )
        for environment in ("current", "grpo-first")
    ),
    Script(
        "a join", "current", JOIN, (("WRONG 24 of 36", "WRONG 0 of 12"),), ("data-rows-multiplied",)
    ),
    *(
        Script(
            f"form in {environment}",
            environment,
            FORM,
            (("LEARNED 0", "LEARNED 12"),),
            ("generation-in-another-form",),
        )
        for environment in ("current", "four")
    ),
    Script(
        "two stages",
        "current",
        REWARD,
        (("UNTRAINED True", "UNTRAINED False"),),
        ("training-ignores-earlier-one",),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_one_thing_is_taken_for_another_and_the_doctor_says_which(
    case: Script, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    towns = ("a town", "the old village", "our part of the country", "Rome")
    rows = [
        {
            "question": f"In {towns[number % 4]} {number**3} houses have a cat: how many cats? ",
            "answer": f"We count {number**3} houses, and each has one: {number**3} cats.",
        }
        for number in range(300)
    ]
    votes = [
        {
            "prompt": f"Tell me about bridge {number}.",
            "a": f"It is old and {number} metres long.",
            "b": f"Bridge {number} was built by an engineer of the town.",
            "better": 1 + number % 2,
        }
        for number in range(12)
    ]
    python = interpreter(case.environment)
    files = {"rows.jsonl": rows, "votes.jsonl": votes}
    assert_shown_and_told(case, form, python, tmp_path, files)
