"""Threads of a thirty-fifth list: a reward whose settings do the opposite of their names."""

from reports.report import Report, changed, rows

SUMS = rows(*({"prompt": f"What is {n} and {n}?", "solution": str(2 * n)} for n in range(3, 11)))
COSINE = '''\
"""GRPO with a reward that grows or falls with the length of the answer along a cosine."""

import math
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


@dataclass
class CosineReward:
    """Rewards by the length of an answer: from `min_len_*` at none to `max_len_*` at `max_len`."""

    tokenizer: object
    min_len_value_wrong: float = 0.0
    max_len_value_wrong: float = -0.5
    min_len_value_correct: float = 1.0
    max_len_value_correct: float = 0.5
    max_len: int = 24
    __name__ = "cosine"

    def along(self, length, start, end):
        share = min(length, self.max_len) / self.max_len
        return end + 0.5 * (start - end) * (1.0 + math.cos(share * math.pi))

    def one(self, completion, solution):
        length = len(self.tokenizer(completion)["input_ids"])
        if solution in completion:
            values = self.min_len_value_correct, self.max_len_value_correct
        else:
            values = self.max_len_value_wrong, self.min_len_value_wrong
        return self.along(length, *values)

    def __call__(self, completions, solution, **kwargs):
        return [self.one(text, right) for text, right in zip(completions, solution)]


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    # A wrong answer may be short, but shall not be long.
    reward = CosineReward(tokenizer, min_len_value_wrong=0.0, max_len_value_wrong=-1.0)
    trainer = GRPOTrainer(
        model="model",
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=load_dataset("json", data_files="sums.jsonl", split="train"),
        args=GRPOConfig(
            output_dir="cosine",
            max_steps=2,
            per_device_train_batch_size=4,
            num_generations=2,
            max_completion_length=24,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    short, long = reward(["No.", "No, and no, and no again, and never at all. " * 2], ["7", "7"])
    print(f"a short wrong answer {short:.2f}, a long one {long:.2f}: as set:", short > long)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "modelscope/ms-swift#3636",
        "current",
        "as set: False",
        r"(max|min)_len|revers|opposite|swap|longer.{0,80}(reward|score|more)"
        r"|(reward|score).{0,80}longer",
        {"train.py": COSINE, "sums.jsonl": SUMS},
        changed(
            COSINE,
            (
                "            values = self.max_len_value_wrong, self.min_len_value_wrong\n",
                "            values = self.min_len_value_wrong, self.max_len_value_wrong\n",
            ),
        ),
    ),
)
