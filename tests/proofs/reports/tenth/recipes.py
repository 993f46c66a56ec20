"""Threads that searches for errors found: recipes of one project."""

from reports.report import PAIRS, Report, rows

RECIPE = """\
# Model arguments
model_name_or_path: model
model_revision: main
torch_dtype: float32

# Data training arguments
dataset_name: data
dataset_configs:
- all
# Num processes is less by 1 as vLLM is using 1 GPU
num_processes: 1

# GRPO trainer config
bf16: false
use_vllm: false
do_eval: true
eval_strategy: "no"
gradient_accumulation_steps: 1
learning_rate: 2.0e-05
log_level: info
logging_steps: 10
logging_strategy: steps
lr_scheduler_type: cosine
max_prompt_length: 512
max_completion_length: 8
max_steps: 1
num_train_epochs: 1
output_dir: data-out/Qwen2.5-1.5B-Open-R1-GRPO
overwrite_output_dir: true
per_device_eval_batch_size: 4
per_device_train_batch_size: 7
report_to:
- none
save_strategy: "no"
seed: 42
use_cpu: true
warmup_ratio: 0.1
"""
GRPO = """\
import re
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(
        default_factory=lambda: ["accuracy", "format"],
        metadata={"help": "List of reward functions. Possible values: 'accuracy', 'format'"},
    )


def accuracy_reward(completions, solution, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [float(sol.strip() in content) for content, sol in zip(contents, solution)]


def format_reward(completions, **kwargs):
    pattern = r"^<think>.*?</think>\\s*<answer>.*?</answer>$"
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if re.match(pattern, one, re.DOTALL) else len(one) / 1000 for one in contents]


reward_funcs_registry = {"accuracy": accuracy_reward, "format": format_reward}

SYSTEM_PROMPT = (
    "The assistant first thinks about the reasoning process in the mind and then answers: "
    "<think> reasoning process here </think><answer> answer here </answer>"
)


def main(script_args, training_args, model_args):
    set_seed(training_args.seed)
    dataset = load_dataset(script_args.dataset_name, name=script_args.dataset_config)
    reward_funcs = [reward_funcs_registry[func] for func in script_args.reward_funcs]

    def make_conversation(example):
        return {
            "prompt": [
                {"role": "system", "content": SYSTEM_PROMPT},
                {"role": "user", "content": example["problem"]},
            ],
        }

    dataset = dataset.map(make_conversation)
    for split in dataset:
        if "messages" in dataset[split].column_names:
            dataset[split] = dataset[split].remove_columns("messages")
    train = dataset[script_args.dataset_train_split]
    print("rows to train on:", len(train))
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=reward_funcs,
        args=training_args,
        train_dataset=train,
        peft_config=get_peft_config(model_args),
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipe.yaml"]))
"""
PARTS = """\
---
configs:
- config_name: default
  data_files: few.jsonl
- config_name: all
  data_files: all.jsonl
---
"""
PROBLEMS = rows(*({"problem": a, "solution": b} for a, b in PAIRS))
DATA = {
    "data/README.md": PARTS,
    "data/few.jsonl": rows(*({"problem": a, "solution": b} for a, b in PAIRS[:2])),
    "data/all.jsonl": PROBLEMS,
}
SEVEN = RECIPE.replace("save_strategy", "num_generations: 7\nsave_strategy")
REPORTS = (
    Report(
        "huggingface/open-r1#365",
        "grpo-first",
        "must be evenly divisible by the number of generations",
        "num_generations",
        {"train.py": GRPO, "recipe.yaml": RECIPE, **DATA},
        {"recipe.yaml": SEVEN},
    ),
    Report(
        "huggingface/open-r1#321",
        "grpo-first",
        "rows to train on: 2",
        "dataset_configs",
        {"train.py": GRPO, "recipe.yaml": SEVEN, **DATA},
        {"recipe.yaml": SEVEN.replace("dataset_configs:\n- all", "dataset_config: all")},
    ),
)  # fmt: skip
