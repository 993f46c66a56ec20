"""Threads of a twenty-third list: arguments that a library refuses, and a resumed run."""

from reports.report import CHAT_PROMPTS, TEXT, Report, changed

YAML_RUN = """\
import sys

import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

with open(sys.argv[1] if len(sys.argv) > 1 else "sft.yaml") as f:
    cfg = yaml.safe_load(f)

tokenizer = AutoTokenizer.from_pretrained(cfg["model_name_or_path"])
model = AutoModelForCausalLM.from_pretrained(cfg["model_name_or_path"])
dataset = load_dataset("json", data_files=cfg["dataset"], split="train")

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(**cfg["train"]),
)
trainer.train()
"""
SETTINGS = """\
model_name_or_path: model
dataset: alpaca_en_demo.jsonl

### train
train:
  output_dir: saves/tiny/full/sft
  per_device_train_batch_size: 2
  gradient_accumulation_steps: 1
  learning_rate: 5e-5
  num_train_epochs: 1
  lr_scheduler_type: cosine
  warmup_steps: 1
  logging_steps: 1
  save_strategy: "no"
  report_to: none
  use_cpu: true
  bf16: false
"""
GOES_ON = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
args = SFTConfig(
    output_dir="./save/sft",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    logging_steps=1,
    save_steps=500,
    save_total_limit=2,
    learning_rate=2e-4,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
dataset = load_dataset("json", data_files="sft.jsonl", split="train")
trainer = SFTTrainer(model=model, args=args, train_dataset=dataset, processing_class=tokenizer)
# go on from the last checkpoint when the machine was taken away
trainer.train(resume_from_checkpoint=True)
trainer.save_model("./save/sft")
trainer.save_state()
"""
ROLL_OUT = """\
import torch
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")


@torch.no_grad()
def wordle_rollout(prompts, trainer):
    \"\"\"One turn of the game for each prompt.\"\"\"
    episodes = {"prompt_ids": [], "completion_ids": [], "logprobs": [], "env_reward": []}
    for prompt in prompts:
        ids = tokenizer.apply_chat_template(
            prompt, add_generation_prompt=True, return_dict=True, return_tensors="pt"
        )["input_ids"]
        out = trainer.model.generate(ids, max_new_tokens=8, do_sample=True)
        guess = out[0, ids.shape[1] :].tolist()
        episodes["prompt_ids"].append(ids[0].tolist())
        episodes["completion_ids"].append(guess)
        episodes["logprobs"].append([0.0] * len(guess))
        episodes["env_reward"].append(float(len(set(guess))))
    return episodes


def reward_from_env(completions, env_reward, **kwargs):
    return env_reward


config = GRPOConfig(
    output_dir="wordle",
    rollout_func=wordle_rollout,
    learning_rate=1e-6,
    num_generations=2,
    per_device_train_batch_size=2,
    max_completion_length=8,
    max_steps=2,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_from_env,
    args=config,
    train_dataset=load_dataset("json", data_files="games.jsonl", split="train"),
)
trainer.train()
"""
RECIPE = """\
model:
  base_model_name: model
data:
  path: gsm8k.jsonl
training:
  output_dir: models/grpo
  per_device_train_batch_size: 4
  num_generations: 4
  max_completion_length: 16
  learning_rate: 1.0e-6
  beta: 0.04
  max_steps: 2
  logging_steps: 1
"""
FORWARDED = """\
import re

import yaml
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def digit_reward(completions, **kwargs):
    return [0.5 if re.search(r"\\d", one[0]["content"]) else 0.0 for one in completions]


def brevity_reward(completions, **kwargs):
    return [1.0 / (1 + len(one[0]["content"])) for one in completions]


class Runner:
    def __init__(self, path):
        with open(path) as file:
            self.config = yaml.safe_load(file)

    def setup_training_args(self):
        training = self.config["training"]
        return GRPOConfig(
            output_dir=training["output_dir"],
            per_device_train_batch_size=training["per_device_train_batch_size"],
            num_generations=training["num_generations"],
            max_completion_length=training["max_completion_length"],
            learning_rate=float(training["learning_rate"]),
            max_steps=training.get("max_steps", -1),
            logging_steps=training.get("logging_steps", 10),
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )

    def train(self):
        trainer = GRPOTrainer(
            model=self.config["model"]["base_model_name"],
            reward_funcs=[digit_reward, brevity_reward],
            args=self.setup_training_args(),
            train_dataset=load_dataset(
                "json", data_files=self.config["data"]["path"], split="train"
            ),
        )
        trainer.train()
        return trainer


trainer = Runner("recipe.yaml").train()
print("the KL term is weighted by", trainer.beta)
"""
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#8505",
        "four",
        "not supported between instances of 'float' and 'str'",
        r"learning_rate|5e-5",
        {"train.py": YAML_RUN, "sft.yaml": SETTINGS, "alpaca_en_demo.jsonl": TEXT},
        {"sft.yaml": SETTINGS.replace("learning_rate: 5e-5", "learning_rate: 5.0e-5")},
        level="",
    ),
    Report(
        "wyf3/llm_related#10",
        "current",
        "No valid checkpoint found in output directory",
        r"resume_from_checkpoint|no (valid )?checkpoint",
        {"train.py": GOES_ON, "sft.jsonl": TEXT},
        changed(GOES_ON, ("trainer.train(resume_from_checkpoint=True)", "trainer.train()")),
        level="",
    ),
    Report(
        "axolotl-ai-cloud/axolotl#3385",
        "current",
        "unexpected keyword argument 'rollout_func'",
        "rollout_func",
        {"train.py": ROLL_OUT, "games.jsonl": CHAT_PROMPTS},
        changed(
            ROLL_OUT,
            ("    rollout_func=wordle_rollout,\n", ""),
            (
                "    reward_funcs=reward_from_env,\n",
                "    reward_funcs=reward_from_env,\n    rollout_func=wordle_rollout,\n",
            ),
        ),
        level="",
    ),
    Report(
        "Roblox/FAI-RL#96",
        "current",
        r"the KL term is weighted by 0\.0\n",
        r"\bbeta\b|\bKL\b",
        {"train.py": FORWARDED, "recipe.yaml": RECIPE, "gsm8k.jsonl": CHAT_PROMPTS},
        changed(
            FORWARDED,
            (
                '            learning_rate=float(training["learning_rate"]),\n',
                '            learning_rate=float(training["learning_rate"]),\n'
                '            beta=training.get("beta", 0.0),\n',
            ),
        ),
        level="",
    ),
)
