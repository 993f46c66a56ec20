"""Threads of a forty-fourth list: a reward that is called otherwise, or looks elsewhere."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed

RECIPE = """\
# Model arguments
model_name_or_path: model

# Data training arguments
dataset_name: open-s1.jsonl
system_prompt: "The assistant first thinks in the mind and then gives the answer. The reasoning
  process and the answer are enclosed within <think> </think> and <answer> </answer> tags, i.e.,
  <think> reasoning process here </think> <answer> answer here </answer>."

# GRPO trainer config
output_dir: data/OpenRS-GRPO
reward_funcs:
- format
- length
learning_rate: 1.0e-06
lr_scheduler_type: cosine
max_completion_length: 16
max_steps: 1
num_generations: 4
per_device_train_batch_size: 4
gradient_accumulation_steps: 1
logging_steps: 1
temperature: 0.7
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
"""
OPEN = '''\
"""GRPO of a small model, with a recipe that says the format and the rewards."""

import re
from dataclasses import dataclass, field
from typing import Optional

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(default_factory=lambda: ["format"])
    system_prompt: Optional[str] = None


def format_reward(completions, **kwargs):
    """One for a completion in the format that was asked for."""
    pattern = r"^<think>.*?</think>"
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if re.match(pattern, content, re.DOTALL) else 0.0 for content in contents]


def length_reward(completions, **kwargs):
    return [-len(completion[0]["content"]) / 1000 for completion in completions]


REWARDS = {"format": format_reward, "length": length_reward}


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")

    def make_conversation(example):
        system = {"role": "system", "content": script_args.system_prompt}
        return {"prompt": [system, {"role": "user", "content": example["prompt"]}]}

    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[REWARDS[name] for name in script_args.reward_funcs],
        args=training_args,
        train_dataset=dataset.map(make_conversation),
    )
    trainer.train()
    silent = [[{"role": "assistant", "content": "<think>Eight legs.</think> I will not say."}]]
    print("no answer in its tags, and the whole reward:", format_reward(silent) == [1.0])


if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipes/grpo.yaml"]))
'''
JUDGED = '''\
"""GRPO with a judge: the completions of a batch are asked about at the same time."""

import asyncio

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


class Client:
    """Stands for the service of the judge."""

    async def score(self, prompt, completion):
        await asyncio.sleep(0.001)
        return len(set(prompt) & set(completion)) - len(completion) / 100


client = Client()


async def check_content(prompts, completions, **kwargs) -> list[float]:
    """How relevant each completion is."""
    asked = [prompt[-1]["content"] for prompt in prompts]
    given = [completion[0]["content"] for completion in completions]
    return await asyncio.gather(*(client.score(a, b) for a, b in zip(asked, given)))


training_args = GRPOConfig(
    output_dir="grpo-judged",
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    learning_rate=1e-6,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[check_content],
    args=training_args,
    train_dataset=load_dataset("json", data_files="questions.jsonl", split="train"),
)
trainer.train()
'''
AWAITED = (
    ("async def check_content", "def check_content"),
    ("    return await asyncio.gather(*(client.score(a, b) for a, b in zip(asked, given)))\n",
     "\n    async def all_of_them():\n"
     "        return await asyncio.gather(*(client.score(a, b) for a, b in zip(asked, given)))\n\n"
     "    return asyncio.run(all_of_them())\n"),
)  # fmt: skip
CONCISE = '''\
"""GRPO with LoRA: answers are to be shorter."""

from datasets import load_dataset
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

model_name = "model"
train_dataset = load_dataset("json", data_files="preferences.jsonl", split="train")
config = GRPOConfig(
    output_dir="grpo-concise",
    max_steps=1,
    per_device_train_batch_size=1,
    gradient_accumulation_steps=8,
    learning_rate=1e-6,
    max_completion_length=16,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)


# Define reward function for GRPO
def preference_reward_func(inputs, prompts, completions, completion_ids_list):
    """Simple reward function based on response length preference"""
    rewards = []
    for completion in completions:
        # shorter, more concise responses
        rewards.append(max(0.0, 1.0 - len(completion) / 500))
    return rewards


trainer = GRPOTrainer(
    model=model_name,
    train_dataset=train_dataset,
    args=config,
    reward_funcs=preference_reward_func,
    peft_config=LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"]),
)
trainer.train()
'''
REPORTS = (
    Report(
        "knoveleng/open-rs#2",
        "current",
        "no answer in its tags, and the whole reward: True",
        r"</?answer>|\bsystem[ _]prompt\b",
        {"train.py": OPEN, "recipes/grpo.yaml": RECIPE, "open-s1.jsonl": PROMPTS},
        changed(
            OPEN,
            ('r"^<think>.*?</think>"', 'r"^<think>.*?</think>\\s*<answer>.*?</answer>$"'),
        ),
    ),
    Report(
        "huggingface/trl#4130",
        "four",
        "coroutine",
        r"\basync\b|asynchron|coroutine|\bawait",
        {"train.py": JUDGED, "questions.jsonl": CHAT_PROMPTS},
        changed(JUDGED, *AWAITED),
    ),
    Report(
        "huggingface.co/ligaments-dev/grpo-training-scripts/commit/a22a2feb",
        "current",
        r"preference_reward_func\(\) (got an unexpected|missing)",
        r"\binputs\b|completion_ids",
        {"train.py": CONCISE, "preferences.jsonl": PROMPTS},
        changed(
            CONCISE,
            ("(inputs, prompts, completions, completion_ids_list):", "(**kwargs):"),
            ("    rewards = []\n", '    completions = kwargs.get("completions", [])\n'
             "    rewards = []\n"),
        ),
    ),
)  # fmt: skip
