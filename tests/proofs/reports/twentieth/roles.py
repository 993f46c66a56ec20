"""Threads of a twentieth list: models, what is frozen of them, and what they are asked to score."""

import json
from typing import Any

from laid import ROOT

from reports.report import CHATS, CHOICES, PREFERENCES, Report, changed

HEALTHY = json.loads((ROOT / "fixtures/models/healthy/tokenizer.json").read_text())


def other_vocabulary() -> str:
    """A tokenizer of the same tokens whose first 256 have other numbers."""
    model: dict[str, Any] = HEALTHY["model"]
    vocabulary = {
        token: 255 - number if number < 256 else number for token, number in model["vocab"].items()
    }
    return json.dumps({**HEALTHY, "model": {**model, "vocab": vocabulary}})


README = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

# load model and dataset - dataset needs to be in a specific format
model = AutoModelForSequenceClassification.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="choices.jsonl", split="train")

# load trainer
trainer = RewardTrainer(
    model=model,
    tokenizer=tokenizer,
    train_dataset=dataset,
    args=RewardConfig(
        output_dir="reward_model",
        max_length=128,
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)

# train
trainer.train()
answer = tokenizer("What is seven times six? Forty-two.", return_tensors="pt")
print("scores of one answer:", trainer.model(**answer).logits.shape[-1])
"""
OTHER_TOKENIZER = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import RLOOConfig, RLOOTrainer

POLICY = "model"
REWARD = "reward"

tokenizer = AutoTokenizer.from_pretrained(POLICY, padding_side="left")
policy = AutoModelForCausalLM.from_pretrained(POLICY)
ref_policy = AutoModelForCausalLM.from_pretrained(POLICY)
reward_tokenizer = AutoTokenizer.from_pretrained(REWARD)
reward_model = AutoModelForSequenceClassification.from_pretrained(REWARD, num_labels=1)
reward_model.config.pad_token_id = reward_tokenizer.pad_token_id

dataset = load_dataset("json", data_files="preferences.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
trainer = RLOOTrainer(
    config=RLOOConfig(
        output_dir="rloo",
        total_episodes=4,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        rloo_k=2,
        num_ppo_epochs=1,
        num_mini_batches=1,
        response_length=8,
        num_sample_generations=0,
        learning_rate=3e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    processing_class=tokenizer,
    policy=policy,
    ref_policy=ref_policy,
    reward_model=reward_model,
    train_dataset=dataset,
)
trainer.train()
asked = [tokenizer.decode(row["input_ids"]) for row in dataset]
read = [reward_tokenizer.decode(row["input_ids"]) for row in dataset]
print("the reward model reads what the policy wrote:", asked == read)
"""
FREEZE = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

ARGUMENTS = {
    "model": "model",
    "dataset": "chats.jsonl",
    "train_type": "full",
    "freeze_vit": True,
    "freeze_parameters": ["model.layers.0"],
}


def freeze_parameters(model, prefixes):
    for name, parameter in model.named_parameters():
        for prefix in prefixes:
            if name.startswith(prefix):
                parameter.requires_grad = False


def prepare_model(arguments):
    model = AutoModelForImageTextToText.from_pretrained(arguments["model"])
    frozen = list(arguments["freeze_parameters"])
    if arguments["freeze_vit"]:
        frozen.append("model.vision_tower")
    freeze_parameters(model, frozen)
    return model


model = prepare_model(ARGUMENTS)
before = {name: p.detach().clone() for name, p in model.named_parameters()}
trainer = SFTTrainer(
    model=model,
    processing_class=AutoProcessor.from_pretrained(ARGUMENTS["model"]),
    train_dataset=load_dataset("json", data_files=ARGUMENTS["dataset"], split="train"),
    args=SFTConfig(
        output_dir="full",
        max_steps=1,
        per_device_train_batch_size=2,
        learning_rate=1e-3,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
moved = [name for name, p in model.named_parameters() if not p.equal(before[name])]
print("parts of the first layer that moved:", sum(".layers.0." in name for name in moved))
"""
REPORTS = (
    Report(
        "huggingface/trl#653",
        "ppo-first",
        "scores of one answer: 2",
        "num_labels|two scores|one score",
        {"train.py": README, "choices.jsonl": CHOICES},
        changed(
            README, ('from_pretrained("model")\ntok', 'from_pretrained("model", num_labels=1)\ntok')
        ),
    ),
    Report(
        "huggingface/trl#1979",
        "ppo-first",
        "the reward model reads what the policy wrote: False",
        "reward.{0,80}(tokenizer|vocabular)|(tokenizer|vocabular).{0,80}reward",
        {
            "train.py": OTHER_TOKENIZER,
            "preferences.jsonl": PREFERENCES,
            "reward/tokenizer.json": other_vocabulary(),
        },
        {"reward/tokenizer.json": json.dumps(HEALTHY)},
    ),
    Report(
        "modelscope/ms-swift#7226",
        "vision",
        "parts of the first layer that moved: [1-9]",
        r"freez|froze|model\.layers|requires_grad|prefix",
        {"train.py": FREEZE, "chats.jsonl": CHATS},
        changed(FREEZE, ('["model.layers.0"]', '["model.language_model.layers.0"]')),
        sees="gemma3",
        level="",
    ),
)
