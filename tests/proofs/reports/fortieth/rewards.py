"""Threads of a fortieth list: rewards that do not say what they are meant to say."""

from reports.report import PREFERENCES, Report, changed, rows

COUNTED = rows(
    *(
        {"problem": f"How many things are there: {n}?", "solution": f"<answer>{n}</answer>"}
        for n in (9, 3, 7, 2)
    )
)
FORMAT = '''\
"""GRPO on counted things: a reward for the right number, and one for the form."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

FORM = "Think first. Put the thoughts in <think> </think> and the number in <answer> </answer>."


def accuracy_reward(completions, solution, **kwargs):
    """1 if the number is the right one."""
    contents = [completion[0]["content"] for completion in completions]
    found = [re.search(r"<answer>.*?</answer>", content) for content in contents]
    return [float(bool(one) and one.group() == right) for one, right in zip(found, solution)]


def format_reward(completions, **kwargs):
    """1 if the thoughts and then the answer are in their tags."""
    pattern = r"<think>.*?</think>\\s*<answer>.*?</answer>"
    contents = [completion[0]["content"] for completion in completions]
    matches = [re.fullmatch(pattern, content) for content in contents]
    return [1.0 if match else 0.0 for match in matches]


def make_conversation(example):
    system = {"role": "system", "content": FORM}
    return {"prompt": [system, {"role": "user", "content": example["problem"]}]}


dataset = load_dataset("json", data_files="clevr.jsonl", split="train").map(make_conversation)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward, format_reward],
    args=GRPOConfig(
        output_dir="outputs/r1-count",
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=16,
        max_steps=1,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
told = "<think>\\nI will count:\\n1. a bus\\n2. a car\\n</think>\\n<answer>2</answer>"
print("the right form is worth", format_reward([[{"role": "assistant", "content": told}]]))
'''
SUMS = rows(*({"prompt": f"Add {n} and 3.", "solution": str(n + 3)} for n in range(4)))
COSINE = '''\
"""GRPO: short right answers are worth more than long ones, along a cosine."""

import math

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

MAX_COMPLETION_LENGTH = 32


class CosineReward:
    """The reward goes from one value to the other while the completion gets longer."""

    __name__ = "cosine"

    def __init__(self, tokenizer, max_len, right=(1.0, 0.5), wrong=(-1.0, -0.5)):
        self.tokenizer = tokenizer
        self.max_len = max_len
        self.right = right
        self.wrong = wrong

    def cosfn(self, length, ends):
        first, last = ends
        return last + (first - last) * (1.0 + math.cos(math.pi * length / self.max_len)) / 2

    def __call__(self, completions, solution, **kwargs):
        rewards = []
        for content, right in zip(completions, solution):
            gen_len = len(content)
            rewards.append(self.cosfn(gen_len, self.right if right in content else self.wrong))
        return rewards


tokenizer = AutoTokenizer.from_pretrained("model")
cosine = CosineReward(tokenizer, max_len=MAX_COMPLETION_LENGTH)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[cosine],
    args=GRPOConfig(
        output_dir="output/GRPO_COSINE",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=MAX_COMPLETION_LENGTH,
        max_steps=1,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="sums.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
short, long = "The answer is 7", "The answer is, at the end of the time on the boat on the sea, 7"
print("the longer one is worth more:", cosine([long], ["7"]) > cosine([short], ["7"]))
'''
MODELING = '''\
"""A reward model from pairs, as the example script trains it."""

import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForSequenceClassification.from_pretrained("model")
model.config.pad_token_id = tokenizer.pad_token_id
dataset = load_dataset("json", data_files="pairs.jsonl", split="train")
dataset = dataset.map(
    lambda row: {name: row["prompt"] + row[name] for name in ("chosen", "rejected")},
    remove_columns=["prompt"],
)
trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="reward_modeling",
        per_device_train_batch_size=2,
        max_length=128,
        max_steps=1,
        learning_rate=1.4e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=dataset,
)
trainer.train()
with torch.no_grad():
    score = model(**tokenizer("Hello, my dog is cute", return_tensors="pt")).logits
print("the score of a text has the shape", tuple(score.shape))
'''
REPORTS = (
    Report(
        "StarsfieldAI/R1-V#19",
        "current",
        r"the right form is worth \[0\.0\]",
        r"DOTALL|line breaks?|newline|dot",
        {"train.py": FORMAT, "clevr.jsonl": COUNTED},
        changed(FORMAT, ("fullmatch(pattern, content)", "fullmatch(pattern, content, re.DOTALL)")),
    ),
    Report(
        "modelscope/ms-swift#3358",
        "current",
        "the longer one is worth more: True",
        r"character|len\(|tokens?\b.*(reward|length)|max_completion_length",
        {"train.py": COSINE, "sums.jsonl": SUMS},
        changed(
            COSINE,
            ("gen_len = len(content)", 'gen_len = len(self.tokenizer(content)["input_ids"])'),
        ),
    ),
    Report(
        "huggingface/trl#558",
        "grpo-first",
        r"the score of a text has the shape \(1, 2\)",
        r"num_labels",
        {"train.py": MODELING, "pairs.jsonl": PREFERENCES},
        changed(
            MODELING,
            ('AutoModelForSequenceClassification.from_pretrained("model")',
             'AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)'),
        ),
    ),
)  # fmt: skip
