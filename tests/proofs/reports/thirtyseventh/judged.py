"""Threads of a thirty-seventh list: verdicts and classes that a reward reads otherwise."""

from reports.report import Report, changed, rows

COMMON = """\
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=24,
            learning_rate=1e-4,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
"""
SCORED = (
    '''\
"""GRPO with a judge that reads each answer and ends its verdict with a line "Reward: N"."""

import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

RUBRIC = "Rate the answer from 0 to 10. End with a line 'Reward: N'."


def judge(question, answer):
    """Stands for the server of the generative reward model."""
    letters = {letter for letter in answer.lower() if letter.isalpha()}
    return f"The answer has {len(letters)} letters.\\nReward: {min(10, len(letters))}"


class JudgeReward:
    __name__ = "judge_reward"

    @staticmethod
    def extract_reward(verdict):
        match = re.search(r"Reward:\\s*([0-1](?:\\.\\d+)?)", verdict)
        return float(match.group(1)) if match else 0.0

    def __call__(self, prompts, completions, **kwargs):
        return [
            self.extract_reward(judge(f"{RUBRIC} {prompt}", completion))
            for prompt, completion in zip(prompts, completions)
        ]


def main():
    set_seed(3)
    reward = JudgeReward()
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=reward,
        train_dataset=load_dataset("json", data_files="questions.jsonl", split="train"),
        args=GRPOConfig(
            output_dir="judged",
            max_steps=2,
'''
    + COMMON
    + """\
        ),
    )
    trainer.train()
    for answer in ("It is.", "The quick brown fox jumps."):
        verdict = judge(RUBRIC, answer).splitlines()[-1]
        print(f"the judge says {verdict!r}, the trainer gets {reward([RUBRIC], [answer])[0]}")


if __name__ == "__main__":
    main()
"""
)
LABELS = (
    '''\
"""GRPO for a classifier of reviews: the class stands between <answer> tags."""

import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

CLASSES = ("positive", "negative", "neutral")
TAG = re.compile(r"<answer>(.*?)</answer>", re.S)


def accuracy_reward(completions, solution, **kwargs):
    rewards = []
    for completion, label in zip(completions, solution):
        match = TAG.search(completion)
        student = (match.group(1) if match else completion).strip().lower()
        if label in student:
            rewards.append(1.0)
        else:
            rewards.append(-0.001 * len(student))
    return rewards


def to_prompt(row):
    asked = f"Review: {row['review']}\\nIs it positive, negative or neutral?"
    return {"prompt": f"{asked} Answer between <answer> and </answer>."}


def main():
    set_seed(3)
    rows = load_dataset("json", data_files="reviews.jsonl", split="train").map(to_prompt)
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=accuracy_reward,
        train_dataset=rows,
        args=GRPOConfig(
            output_dir="classes",
            max_steps=2,
'''
    + COMMON
    + """\
        ),
    )
    trainer.train()
    hedged = f"<answer>{' or '.join(CLASSES)}</answer>"
    scores = accuracy_reward([hedged] * len(rows), rows["solution"])
    print("an answer that names every class is right in", scores.count(1.0), "of", len(rows))


if __name__ == "__main__":
    main()
"""
)
QUESTIONS = rows(
    *(
        {"prompt": f"What is {what}?"}
        for what in ("a bond", "the sea", "a verb", "a loan", "an atom", "a tax")
    )
)
REVIEWS = rows(
    *(
        {"review": review, "solution": label}
        for review, label in (
            ("I love it.", "positive"),
            ("It broke on day one.", "negative"),
            ("It is a lamp.", "neutral"),
            ("Best I ever had.", "positive"),
            ("Never again.", "negative"),
            ("It came on Monday.", "neutral"),
        )
    )
)
REPORTS = (
    Report(
        "modelscope/ms-swift#10163",
        "current",
        r"'Reward: 10', the trainer gets 1\.0",
        r"Reward: 10|\[0-1\]|part of (the|a) number|first digit|digit.{0,60}(left|cut|after)",
        {"train.py": SCORED, "questions.jsonl": QUESTIONS},
        changed(SCORED, (r"([0-1](?:\.\d+)?)", r"(\d+(?:\.\d+)?)")),
    ),
    Report(
        "Liuziyu77/Visual-RFT#79",
        "current",
        "is right in 6 of 6",
        r"(every|all|several|other) (class|label|solution|choice)|anywhere|\bin student\b|substring"
        r"|contains (every|all|several|other)|hedg",
        {"train.py": LABELS, "reviews.jsonl": REVIEWS},
        changed(
            LABELS,
            (
                "        if label in student:\n",
                "        if [one for one in CLASSES if one in student] == [label]:\n",
            ),
        ),
    ),
)
