"""Threads of a thirty-seventh list: rewards that read numbers otherwise than was meant."""

from reports.report import Report, changed, rows
from reports.thirtyseventh.judged import COMMON

NUMBERS = (
    '''\
"""GRPO on questions of finance: 1 for the right number, compared with a tolerance."""

import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

NUMBER = r"\\d.[\\d,]+(?:\\.\\d+)?"


def extract_final_answer(text):
    """The last number of a text, without the commas of thousands."""
    numbers = re.findall(NUMBER, text)
    return float(numbers[-1].replace(",", "")) if numbers else None


def correctness(completions, final_answer, **kwargs):
    scores = []
    for completion, gold in zip(completions, final_answer):
        found = extract_final_answer(completion)
        right = found is not None and abs(found - gold) <= 0.01 * abs(gold)
        tidy = 0.2 * sum(letter.isalpha() for letter in completion) / (1 + len(completion))
        scores.append(1.0 if right else tidy)
    return scores


def main():
    set_seed(3)
    rows = load_dataset("json", data_files="finance.jsonl", split="train")
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=correctness,
        train_dataset=rows.select_columns(["prompt", "final_answer"]),
        args=GRPOConfig(
            output_dir="finance",
            max_steps=2,
'''
    + COMMON
    + """\
        ),
    )
    trainer.train()
    scores = correctness(rows["solution"], rows["final_answer"])
    print("solutions of the file that get 1:", scores.count(1.0), "of", len(scores))


if __name__ == "__main__":
    main()
"""
)
SIGNED = (
    '''\
"""GRPO on differences, verified with the number that a solution ends with, as in GSM8K."""

import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer


class Verifier:
    __name__ = "verifier"
    pattern = re.compile(r"\\d*\\.?\\d+")

    def number(self, text):
        numbers = self.pattern.findall(text.replace(",", ""))
        return numbers[-1] if numbers else text.strip()

    def __call__(self, completions, ground_truth, **kwargs):
        return [
            1.0 if self.number(completion) == self.number(gold) else -0.01 * len(completion)
            for completion, gold in zip(completions, ground_truth)
        ]


def main():
    set_seed(3)
    verifier = Verifier()
    rows = load_dataset("json", data_files="differences.jsonl", split="train")
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=verifier,
        train_dataset=rows,
        args=GRPOConfig(
            output_dir="differences",
            max_steps=2,
'''
    + COMMON
    + """\
        ),
    )
    trainer.train()
    wrong = [f"The answer is {-float(gold):g}." for gold in rows["ground_truth"]]
    right = verifier(wrong, rows["ground_truth"]).count(1.0)
    print("answers with the wrong sign that count as right:", right, "of", len(wrong))


if __name__ == "__main__":
    main()
"""
)
FINANCE = (
    rows(
        *(
            {
                "prompt": f"A fund of {base} grows by {rate}%. By how much?",
                "solution": f"We take {rate}% of {base}. The final value is {value}{unit}",
                "final_answer": value,
            }
            for base, rate, value, unit in (
                (200, 4, 8.0, "."),
                (660, 2, 13.2, "%"),
                (50, 10, 5.0, "."),
                (40000, 3, 1200.0, "."),
                (350, 2, 7.0, "."),
                (36, 25, 9.0, ""),
            )
        )
    )
    .replace(".0.", ".")
    .replace('.0"', '"')
)
DIFFERENCES = rows(
    *(
        {"prompt": f"What is {a} minus {b}?", "ground_truth": str(a - b)}
        for a, b in ((3, 8), (10, 4), (2, 11), (7, 9), (20, 5), (1, 14))
    )
)
REPORTS = (
    Report(
        "mbzuai-nlp/finchain#3",
        "current",
        r"that get 1: [0-2] of 6",
        r"NUMBER|extract_final_answer|regular expression|right answer|solution.{0,80}reward",
        {"train.py": NUMBERS, "finance.jsonl": FINANCE},
        changed(NUMBERS, (r'r"\d.[\d,]+(?:\.\d+)?"', r'r"\d[\d,]*(?:\.\d+)?"')),
    ),
    Report(
        "allenai/open-instruct#1530",
        "current",
        "count as right: 6 of 6",
        r"\bsign\b|negative (number|answer)|'-\d",
        {"train.py": SIGNED, "differences.jsonl": DIFFERENCES},
        changed(SIGNED, (r'r"\d*\.?\d+"', r'r"[-+]?\d*\.?\d+"')),
    ),
)
