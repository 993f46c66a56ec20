"""Threads of a fortieth list: commands that do not run, and an argument that does not arrive."""

from reports.report import PROMPTS, Report, changed

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
output_dir: data/GRPO
max_steps: 1
per_device_train_batch_size: 2
num_generations: 4
max_completion_length: 8
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
SERVED = '''\
"""Starts the server that generates, and then the training."""

import subprocess
import sys
from pathlib import Path

TRL = str(Path(sys.executable).parent / "trl")
TRAINING = [sys.executable, "src/grpo.py", "--config", "recipes/grpo.yaml"]
server = subprocess.Popen([TRL, "vllm-serve", "--model", "model"])
try:
    code = server.wait(timeout=60)
except subprocess.TimeoutExpired:
    sys.exit(subprocess.run([*TRAINING, "--use_vllm", "true"]).returncode)
raise SystemExit(f"trl vllm-serve ended with {code}")
'''
ALONE = '''\
"""The training generates itself: this release has no server."""

import subprocess
import sys

TRAINING = [sys.executable, "src/grpo.py", "--config", "recipes/grpo.yaml"]
sys.exit(subprocess.run(TRAINING).returncode)
'''
TORCHRUN = '''\
"""Starts the training in two processes."""

import subprocess
import sys

LAUNCHER = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
TRAINING = ["src/grpo.py", "--config", "recipes/grpo.yaml"]
sys.exit(subprocess.run([*LAUNCHER, *TRAINING]).returncode)
'''
TOOL = '''\
"""An agent's tool that trains: the agent says what, and how fast."""

from dataclasses import dataclass

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


@dataclass
class TrainingConfig:
    model_name: str = "model"
    output_dir: str = "./output"
    max_steps: int = 1
    per_device_train_batch_size: int = 4
    learning_rate: float = 5e-5


def length_reward(completions, **kwargs):
    return [-abs(20 - len(text)) / 20 for text in completions]


class GRPOTrainerWrapper:
    def __init__(self, config, dataset):
        self.config = config
        self.dataset = dataset

    def train(self):
        args = GRPOConfig(
            output_dir=self.config.output_dir,
            max_steps=self.config.max_steps,
            per_device_train_batch_size=self.config.per_device_train_batch_size,
            learning_rate=self.config.learning_rate,
            num_generations=4,
            max_completion_length=8,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )
        trainer = GRPOTrainer(
            model=self.config.model_name,
            reward_funcs=length_reward,
            args=args,
            train_dataset=self.dataset,
        )
        trainer.train()
        return trainer


class RLTrainingTool:
    def run(self, parameters):
        config = TrainingConfig(
            model_name=parameters.get("model_name", "model"),
            output_dir=parameters.get("output_dir", "./output"),
            per_device_train_batch_size=parameters.get("batch_size", 4),
        )
        dataset = load_dataset("json", data_files=parameters["dataset"], split="train")
        return GRPOTrainerWrapper(config, dataset).train()


trained = RLTrainingTool().run(
    {
        "action": "train",
        "algorithm": "grpo",
        "model_name": "model",
        "dataset": "gsm8k.jsonl",
        "output_dir": "./models/grpo_model",
        "batch_size": 4,
        "learning_rate": 1e-6,
    }
)
print("rate of the training:", trained.args.learning_rate)
'''
BATCH = '            per_device_train_batch_size=parameters.get("batch_size", 4),\n'
EIGHT = RECIPE.replace("num_generations: 4", "num_generations: 8")
REPORTS = (
    Report(
        "huggingface/trl#3139",
        "grpo-first",
        "invalid choice: 'vllm-serve'",
        r"vllm-serve",
        {"train.py": SERVED, "src/grpo.py": GRPO, "prompts.jsonl": PROMPTS,
         "recipes/grpo.yaml": RECIPE.replace("batch_size: 2", "batch_size: 4")},
        {"train.py": ALONE},
    ),
    Report(
        "huggingface/trl#3061",
        "grpo-first",
        r"The global train batch size \(2 x 2\) must be evenly divisible",
        r"num_generations|divisible",
        {"train.py": TORCHRUN, "src/grpo.py": GRPO, "prompts.jsonl": PROMPTS,
         "recipes/grpo.yaml": EIGHT},
        {"recipes/grpo.yaml": RECIPE},
    ),
    Report(
        "jjyaoao/HelloAgents#108",
        "current",
        "rate of the training: 5e-05",
        r"learning_rate|learning rate",
        {"train.py": TOOL, "gsm8k.jsonl": PROMPTS},
        changed(
            TOOL,
            (BATCH, f'{BATCH}            learning_rate=parameters.get("learning_rate", 1e-6),\n'),
        ),
    ),
)  # fmt: skip
