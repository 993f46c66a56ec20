"""Threads of an eighteenth list: rewards, and settings that do not reach their trainer."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows, turn

CONTAINED = '''\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def accuracy_reward(completions, solution, **kwargs):
    """Whether the species of the answer is the right one."""
    rewards = []
    for completion, species in zip(completions, solution):
        text = completion[0]["content"]
        found = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
        answer = (found.group(1) if found else text).strip().lower()
        right = species.lower()
        rewards.append(1.0 if right in answer or answer in right else 0.0)
    return rewards


def format_reward(completions, **kwargs):
    tags = ("<think>", "</think>", "<answer>", "</answer>")
    texts = [completion[0]["content"] for completion in completions]
    return [sum(tag in text for tag in tags) / 4 + len(text) / 1000 for text in texts]


if __name__ == "__main__":
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=[accuracy_reward, format_reward],
        args=GRPOConfig(
            output_dir="classify",
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=16,
            max_steps=1,
            learning_rate=1e-5,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=load_dataset("json", data_files="species.jsonl", split="train"),
    )
    trainer.train()
    silent = [{"role": "assistant", "content": "<think>A dog.</think><answer></answer>"}]
    print("reward of an empty answer:", accuracy_reward([silent], ["African wild dog"])[0])
'''
SPECIES = rows(
    *(
        {
            "prompt": [turn("user", f"It is {seen}. Which species? Think, then answer.")],
            "solution": species,
        }
        for seen, species in (
            ("black, white and brown", "African wild dog"),
            ("grey and calm", "seal"),
            ("on the shore", "tern"),
            ("as big as a boat", "whale"),
        )
    )
)
QUESTIONS = """\
import yaml
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

SYSTEM = "Think first, then answer."
DEFAULTS = {"dataset_prompt_column": "prompt", "dataset_train_split": "train"}


def length(completions, **kwargs):
    return [-float(len(completion[0]["content"])) for completion in completions]


def main():
    with open("config_demo.yaml") as opened:
        config = {**DEFAULTS, **yaml.safe_load(opened)}
    column = config.pop("dataset_prompt_column")
    dataset = load_dataset("json", data_files=config.pop("dataset_name"))

    def make_conversation(example):
        if column not in example:
            raise ValueError(f"Dataset Question Field Error: {column} is not supported.")
        asked = {"role": "user", "content": example[column]}
        return {"prompt": [{"role": "system", "content": SYSTEM}, asked]}

    split = config.pop("dataset_train_split")
    trainer = GRPOTrainer(
        model=config.pop("model_name_or_path"),
        reward_funcs=[length],
        args=GRPOConfig(**config),
        train_dataset=dataset.map(make_conversation)[split],
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
QUESTIONS_CONFIG = """\
model_name_or_path: model
dataset_name: math220k.jsonl
learning_rate: 1.0e-4
max_prompt_length: 64
max_completion_length: 16
max_steps: 1
num_generations: 4
per_device_train_batch_size: 4
output_dir: data/qwen-grpo
report_to: none
save_strategy: "no"
use_cpu: true
"""
PROBLEMS = rows(*({"problem": asked, "answer": answer} for asked, answer in PAIRS))
PENALTY = """\
from dataclasses import fields

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl.experimental.ppo import PPOConfig, PPOTrainer

training = {"epochs": 1, "ppo_epochs": 2, "ppo_kl_penalty": 0.7, "ppo_clip_ratio": 0.17}

known = {field.name for field in fields(PPOConfig)}
settings = {
    "output_dir": "soup-ppo",
    "learning_rate": 1e-5,
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 1,
    "num_mini_batches": 1,
    "response_length": 8,
    "num_sample_generations": 0,
    "stop_token": "eos",
    "cliprange": training["ppo_clip_ratio"],
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}
# the names differ between releases
if "num_ppo_epochs" in known:
    settings["num_ppo_epochs"] = training["ppo_epochs"]
if "init_kl_coef" in known:
    settings["init_kl_coef"] = training["ppo_kl_penalty"]

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
args = PPOConfig(**settings)
trainer = PPOTrainer(
    args=args,
    processing_class=tokenizer,
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    reward_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    value_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
print(f"penalty of the run: {args.kl_coef}, passes over the rows: {args.num_train_epochs:.0f}")
"""
REPORTS = (
    Report(
        "Liuziyu77/Visual-RFT#176",
        "current",
        "reward of an empty answer: 1.0",
        "empty|substring|contained",
        {"train.py": CONTAINED, "species.jsonl": SPECIES},
        changed(
            CONTAINED, (" if right in answer or answer in right else", " if right in answer else")
        ),
        level="",
    ),
    Report(
        "huggingface/open-r1#570",
        "grpo-first",
        "Dataset Question Field Error: prompt is not supported",
        "prompt_column|Question Field|problem",
        {
            "train.py": QUESTIONS,
            "config_demo.yaml": QUESTIONS_CONFIG,
            "math220k.jsonl": PROBLEMS,
        },
        {"config_demo.yaml": QUESTIONS_CONFIG + "dataset_prompt_column: problem\n"},
        level="",
    ),
    Report(
        "MakazhanAlpamys/Soup#721",
        "ppo-last",
        "penalty of the run: 0.05, passes over the rows: 3",
        "init_kl_coef|kl_coef|num_train_epochs",
        {"train.py": PENALTY, "prompts.jsonl": PROMPTS},
        changed(
            PENALTY,
            ('if "init_kl_coef" in known:', 'if "kl_coef" in known:'),
            ('settings["init_kl_coef"] =', 'settings["kl_coef"] ='),
            (
                '    "learning_rate": 1e-5,\n',
                '    "learning_rate": 1e-5,\n    "num_train_epochs": training["epochs"],\n',
            ),
        ),
        level="",
    ),
)
