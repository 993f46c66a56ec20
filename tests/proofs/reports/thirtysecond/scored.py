"""Threads of a thirty-second list: answers that a model scores."""

from reports.report import PROMPTS, Report, changed

SCORER = """\
# PPO against a reward model that another framework has trained.
import json
import pathlib
import shutil

import torch
from datasets import load_dataset
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl.experimental.ppo import PPOConfig, PPOTrainer

RM_PATH = pathlib.Path("rm-700k")


def fetch_reward_model():
    # It comes as its authors publish it: a language model and a head of their own.
    shutil.copytree("reward", RM_PATH, dirs_exist_ok=True)
    weights = load_file("reward/model.safetensors")
    weights["value_head.weight"] = weights.pop("score.weight")
    save_file(weights, RM_PATH / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((RM_PATH / "config.json").read_text())
    for key in ("id2label", "label2id"):
        config.pop(key)
    (RM_PATH / "config.json").write_text(json.dumps(config))


def train():
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
    policy = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
    reference = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
    reward_model = AutoModelForSequenceClassification.from_pretrained(
        RM_PATH, dtype=torch.float32
    )
    value_model = AutoModelForSequenceClassification.from_pretrained(
        "reward", dtype=torch.float32
    )
    print(reward_model.score)
    prompts = load_dataset("json", data_files="prompts.jsonl", split="train").map(
        lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
        remove_columns=["prompt"],
    )
    trainer = PPOTrainer(
        args=PPOConfig(
            output_dir="ppo-out",
            per_device_train_batch_size=2,
            num_mini_batches=1,
            total_episodes=4,
            response_length=8,
            stop_token="eos",
            num_sample_generations=0,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        processing_class=tokenizer,
        model=policy,
        ref_model=reference,
        reward_model=reward_model,
        value_model=value_model,
        train_dataset=prompts,
        eval_dataset=prompts,
    )
    trainer.train()
    trained = load_file("reward/model.safetensors")["score.weight"].float()
    same = reward_model.score.weight.shape == trained.shape and torch.allclose(
        reward_model.score.weight, trained
    )
    print("answers were judged with the head that was trained:", same)


fetch_reward_model()
train()
"""
REPORTS = (
    Report(
        "OpenRLHF/OpenRLHF#1039",
        "ppo-last",
        "doesn't match the broadcast shape",
        r"num_labels|\b(two|2) (labels|scores|outputs|logits|values)|score\.weight|value_head"
        r"|head.{0,80}(new|random|initiali|untrained|not in|missing)"
        r"|(random|untrained|newly initiali).{0,80}head",
        {"train.py": SCORER, "prompts.jsonl": PROMPTS},
        changed(
            SCORER,
            (
                "        RM_PATH, dtype=torch.float32\n",
                "        RM_PATH,\n        num_labels=1,\n"
                '        key_mapping={"value_head": "score"},\n        dtype=torch.float32,\n',
            ),
        ),
    ),
)
