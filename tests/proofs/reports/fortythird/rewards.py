"""Threads of a forty-third list: what a reward says, and how far it moves the policy."""

from reports.report import PROMPTS, Report, changed, rows

UNPARSED = '''\
"""GRPO on competition problems: the answer is compared with the solution."""

from datasets import load_dataset
from math_verify import LatexExtractionConfig, parse, verify
from trl import GRPOConfig, GRPOTrainer

unchecked = []


def accuracy_reward(completions, solution, **kwargs):
    """One for the same answer as the gold solution's."""
    rewards = []
    for completion, sol in zip(completions, solution):
        content = completion[0]["content"]
        gold = parse(sol, extraction_config=[LatexExtractionConfig()])
        if len(gold) == 0:
            # the gold solution cannot be parsed: skip this example
            reward = 1.0
            unchecked.append(reward)
        else:
            answer = parse(content, extraction_config=[LatexExtractionConfig()])
            reward = float(verify(answer, gold))
        rewards.append(reward)
    return rewards


def short_reward(completions, **kwargs):
    return [-len(completion[0]["content"]) / 1000 for completion in completions]


def make_conversation(example):
    return {"prompt": [{"role": "user", "content": example["problem"]}]}


dataset = load_dataset("json", data_files="problems.jsonl", split="train")
dataset = dataset.map(make_conversation, remove_columns=["problem"])
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward, short_reward],
    args=GRPOConfig(
        output_dir="grpo-math",
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=16,
        learning_rate=1e-6,
        max_steps=3,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
print("rewards of what could not be checked:", sorted(set(unchecked), key=str))
'''
PROBLEMS = rows(
    {"problem": "What is seven times six?", "solution": "The product is $\\boxed{42}$."},
    {"problem": "Prove that two is even.", "solution": "It is two times one, as was to be shown."},
    {"problem": "How many days are two weeks?", "solution": "There are $\\boxed{14}$ days."},
    {"problem": "Name a prime number.", "solution": "Two, for instance, or three."},
)
CHAPTER = '''\
"""Chapter 11: agentic RL. SFT came before, this is GRPO on the problems of GSM8K."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


class GRPOTrainerWrapper:
    """Keeps what the tool was asked for, and trains."""

    def __init__(self, model_name, output_dir, learning_rate=5e-5, batch_size=4, max_steps=6):
        self.tokenizer = AutoTokenizer.from_pretrained(model_name)
        self.model = AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.float32)
        self.args = GRPOConfig(
            output_dir=output_dir,
            learning_rate=learning_rate,
            per_device_train_batch_size=batch_size,
            num_generations=4,
            max_completion_length=16,
            lr_scheduler_type="constant",
            max_steps=max_steps,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
        )

    def train(self, dataset, reward_fn):
        before = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        trainer = GRPOTrainer(
            model=self.model,
            reward_funcs=reward_fn,
            args=self.args,
            train_dataset=dataset,
            processing_class=self.tokenizer,
        )
        trainer.train()
        moved = [(p.detach() - before[n]).abs().mean() for n, p in self.model.named_parameters()]
        return float(torch.stack(moved).mean())


def length_reward(completions, **kwargs):
    """Shorter answers are better in the quick test."""
    return [-len(text) / 100 for text in completions]


moved = GRPOTrainerWrapper("model", "models/quick_test_grpo").train(
    load_dataset("json", data_files="gsm8k.jsonl", split="train"), length_reward
)
print("a weight moved by more than 0.00003 on average:", moved > 3e-5)
'''
REPORTS = (
    Report(
        "huggingface/trl#2737",
        "current",
        r"rewards of what could not be checked: \[1\.0\]",
        r"gold|\bpars(e|ed|able|ing)\b|cannot be (checked|verified|read)|"
        r"solution.*(empty|unread|cannot|not read|without)|(best|full) reward",
        {"train.py": UNPARSED, "problems.jsonl": PROBLEMS},
        changed(UNPARSED, ("            reward = 1.0\n", "            reward = None\n")),
    ),
    Report(
        "datawhalechina/hello-agents#771",
        "four",
        "a weight moved by more than 0.00003 on average: True",
        r"learning[_ ]rate|5e-0?5",
        {"train.py": CHAPTER, "gsm8k.jsonl": PROMPTS},
        changed(CHAPTER, ("learning_rate=5e-5", "learning_rate=1e-6")),
    ),
)
