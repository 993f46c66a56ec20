"""Threads of a twenty-seventh list: rewards that are not those of the answers."""

from laid import ROOT

from reports.report import Report, changed
from reports.twentyseventh.data import PROMPTS, letters, solutions

FIRST = """\
import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

set_seed(0)
COMMON = dict(report_to="none", save_strategy="no", use_cpu=True, bf16=False)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32)
rows = load_dataset("json", data_files="gsm.jsonl", split="train")
ANSWER = re.compile(r"\\banswer\\s*:\\s*([^\\n]+)", re.IGNORECASE)

warm = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=rows.select_columns(["prompt", "completion"]),
    args=SFTConfig(output_dir="warm", max_steps=90, per_device_train_batch_size=12,
                   learning_rate=1e-2, logging_steps=30, **COMMON),
)
warm.train()


def extract_answer(text):
    match = ANSWER.search(text)
    return match.group(1).strip() if match else None


seen = []


def correct(completions, answer, **kwargs):
    seen.extend(zip(completions, answer))
    return [float(extract_answer(c) == a) for c, a in zip(completions, answer)]


trainer = GRPOTrainer(
    model=warm.model,
    reward_funcs=correct,
    processing_class=tokenizer,
    train_dataset=rows.remove_columns("completion"),
    args=GRPOConfig(output_dir="gsm", max_steps=3, per_device_train_batch_size=4,
                    num_generations=4, max_completion_length=32, learning_rate=1e-6,
                    logging_steps=1, **COMMON),
)
trainer.train()
right = [(text, a) for text, a in seen if text.strip().endswith(f"Answer: {a}")]
missed = sum(extract_answer(text) != a for text, a in right)
print(f"texts that end with the right answer and get no reward: {missed} of {len(right)}")
"""
FOREIGN = """\
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    set_seed,
)
from trl import PPOConfig, PPOTrainer

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
reward_tokenizer = AutoTokenizer.from_pretrained("reward")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
rows = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = rows.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=["prompt"]
)
trainer = PPOTrainer(
    config=PPOConfig(
        output_dir="ppo",
        total_episodes=4,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        num_ppo_epochs=1,
        response_length=8,
        num_sample_generations=0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    policy=AutoModelForCausalLM.from_pretrained("model"),
    ref_policy=AutoModelForCausalLM.from_pretrained("model"),
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()


@torch.no_grad()
def score(text, by):
    return reward_model(**by(text, return_tensors="pt")).logits.item()


texts = rows["prompt"]
other = sum(abs(score(t, tokenizer) - score(t, reward_tokenizer)) > 1e-3 for t in texts)
print(f"texts that get another score than the reward model would give: {other} of {len(texts)}")
"""
HEADLESS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

REWARD_MODEL = "model"
set_seed(0)
tokenizer = AutoTokenizer.from_pretrained(REWARD_MODEL)


def load():
    return AutoModelForSequenceClassification.from_pretrained(
        REWARD_MODEL, num_labels=1, dtype=torch.float32
    ).eval()


dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=load(),
    reward_processing_classes=tokenizer,
    train_dataset=dataset,
    args=GRPOConfig(
        output_dir="online-rlhf",
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()


@torch.no_grad()
def scores(model):
    return [model(**tokenizer(t, return_tensors="pt")).logits.item() for t in dataset["prompt"]]


pairs = list(zip(scores(trainer.reward_funcs[0].eval()), scores(load())))
other = sum(abs(one - two) > 1e-3 for one, two in pairs)
print(f"texts with another score when the reward model is loaded again: {other} of {len(pairs)}")
"""
REPORTS = (
    Report(
        "PrimeIntellect-ai/verifiers#1336",
        "grpo-shapes",
        "right answer and get no reward: [1-9]",
        r"extract_answer|\.search\b|first (match|answer)|last (match|answer)|"
        r"(right|correct|known|true) (answer|solution).{0,120}(reward|score)|"
        r"(reward|score).{0,120}(right|correct|known|true) (answer|solution)|"
        r"(every|all|each|only).{0,60}rewards?\b.{0,40}\b(0|0\.0|zero)\b|"
        r"rewards?\b.{0,60}(always|never|all|only|every).{0,40}\b(0|0\.0|zero)\b",
        {"train.py": FIRST, "gsm.jsonl": solutions()},
        changed(
            FIRST,
            (
                "    match = ANSWER.search(text)\n"
                "    return match.group(1).strip() if match else None\n",
                "    found = ANSWER.findall(text)\n"
                "    return found[-1].strip() if found else None\n",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1674",
        "ppo-first",
        "than the reward model would give: [1-9]",
        r"tokenizer.{0,160}(reward|same|other|differ)|"
        r"reward.{0,160}(tokenizer|vocabular|token ids)",
        {
            "train.py": FOREIGN,
            "prompts.jsonl": PROMPTS,
            "reward/tokenizer.json": letters(),
        },
        {"reward/tokenizer.json": (ROOT / "fixtures/models/reward/tokenizer.json").read_text()},
        level="",
    ),
    Report(
        "RLHFlow/Online-RLHF#4",
        "current",
        "when the reward model is loaded again: [1-9]",
        r"score\.weight|newly initiali[sz]ed|\brandom(ly)?\b|untrained|CausalLM|"
        r"(no|not a|without a|missing) (trained )?(score|head|classif|reward model)",
        {"train.py": HEADLESS, "prompts.jsonl": PROMPTS},
        changed(HEADLESS, ('REWARD_MODEL = "model"', 'REWARD_MODEL = "reward"')),
        level="files",
    ),
)
