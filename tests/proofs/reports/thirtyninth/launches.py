"""Threads of a thirty-ninth list: commands that do not say what they were meant to say."""

from reports.report import PROMPTS, TEXT, Report, changed

GRPO = '''\
"""GRPO on prompts: the arguments are those of the recipe."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


def distinct(completions, **kwargs):
    return [float(len(set(text))) for text in completions]


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config()
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=distinct,
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
    )
    trainer.train()
'''
RECIPE = """\
model_name_or_path: model
dataset_name: prompts.jsonl
output_dir: data/Distill-GRPO
max_steps: 1
per_device_train_batch_size: 4
num_generations: 4
max_completion_length: 8
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
LAUNCH = '''\
"""Starts the training on a rented machine: the command is a list."""

import subprocess
import sys

COMMAND = [
    sys.executable,
    "-m",
    "accelerate.commands.launch",
    "--num_processes=1",
    "--cpu",
    "src/grpo.py",
    "--config recipes/config_7b.yaml",
]
done = subprocess.run(COMMAND)
if done.returncode:
    raise SystemExit(f"Command {' '.join(COMMAND)} returned {done.returncode}")
'''
TRAIN = '''\
"""Supervised fine-tuning with DeepSpeed; all arguments are of the command line."""

from dataclasses import dataclass, field

from datasets import load_dataset
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


@dataclass
class TrainingArguments(SFTConfig):
    bf16: bool = field(default=False)


def main(script_args, training_args, model_args):
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
    )
    trainer.train()


if __name__ == "__main__":
    main(*TrlParser((ScriptArguments, TrainingArguments, ModelConfig)).parse_args_and_config())
'''
ACCELERATE = """\
compute_environment: LOCAL_MACHINE
deepspeed_config:
  gradient_accumulation_steps: 2
  gradient_clipping: 1.0
  zero3_init_flag: false
  zero_stage: 0
distributed_type: DEEPSPEED
machine_rank: 0
main_training_function: main
mixed_precision: bf16
num_machines: 1
num_processes: 1
use_cpu: true
"""
SHELL = """\
$PYTHON -m accelerate.commands.launch --config_file config/default.yaml src/sft.py \\
    --model_name_or_path model \\
    --dataset_name texts.jsonl \\
    --output_dir out \\
    --per_device_train_batch_size 1 \\
    --gradient_accumulation_steps 2 \\
    --lr_scheduler_type cosine \\
    --max_steps 1 \\
    --report_to none \\
    --save_strategy no \\
    --use_cpu true
    --learning_rate 5e-5 \\
    --bf16 true
"""
BASH = '''\
"""Runs the shell script of an experiment with this Python."""

import os
import subprocess
import sys

done = subprocess.run(["bash", "run.sh"], env={**os.environ, "PYTHON": sys.executable})
sys.exit(done.returncode)
'''
REPORTS = (
    Report(
        "huggingface/open-r1#362",
        "grpo-first",
        r"the following arguments are required: --dataset_name",
        r"--config|dataset_name",
        {"train.py": LAUNCH, "src/grpo.py": GRPO, "recipes/config_7b.yaml": RECIPE,
         "prompts.jsonl": PROMPTS},
        changed(
            LAUNCH,
            ('    "--config recipes/config_7b.yaml",\n',
             '    "--config",\n    "recipes/config_7b.yaml",\n'),
        ),
    ),
    Report(
        "hiyouga/LlamaFactory#3224",
        "cluster",
        r"ds bf16.enabled=True vs hf bf16\|bf16_full_eval=False",
        r"bf16|backslash|command not found",
        {"train.py": BASH, "run.sh": SHELL, "src/sft.py": TRAIN, "texts.jsonl": TEXT,
         "config/default.yaml": ACCELERATE},
        {"run.sh": SHELL.replace("--use_cpu true\n", "--use_cpu true \\\n")},
    ),
)  # fmt: skip
