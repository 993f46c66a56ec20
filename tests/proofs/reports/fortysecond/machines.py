"""Threads of a forty-second list: settings that the machine refuses."""

from reports.report import PROMPTS, Report

SWARM_YAML = """\
model_name_or_path: model
dataset_name: gsm8k.jsonl
output_dir: runs/gsm8k
bf16: true
per_device_train_batch_size: 4
num_generations: 4
max_completion_length: 16
max_steps: 1
learning_rate: 5.0e-7
warmup_ratio: 0.03
beta: 0.001
report_to: none
save_strategy: "no"
"""
SWARM = '''\
"""GRPO on one machine: everything is in a YAML file."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


def brief(completions, **kwargs):
    return [-len(completion) / 100 for completion in completions]


def main():
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config(
        ["--config", "grpo-gsm8k.yaml"]
    )
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=brief,
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "gensyn-ai/rl-swarm#299",
        "four",
        "Your setup doesn't support bf16/gpu",
        r"bf16",
        {"train.py": SWARM, "grpo-gsm8k.yaml": SWARM_YAML, "gsm8k.jsonl": PROMPTS},
        {"grpo-gsm8k.yaml": SWARM_YAML.replace("bf16: true", "bf16: false\nuse_cpu: true")},
    ),
)
