"""Settings that come too late, or under a name that is no argument, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

START = """\
import dataclasses
import json

from datasets import Dataset
from trl import TRAINERConfig, TRAINERTrainer

SETTINGS
fields = {field.name for field in dataclasses.fields(TRAINERConfig)}
args = TRAINERConfig(**{key: value for key, value in settings.items() if key in fields},
                     report_to="none", use_cpu=True, bf16=False, save_strategy="no")
"""
OF_FILE = """\
with open("run.json") as file:
    settings = json.load(file)
settings["learning_rate"] = settings.pop("lr")  #~good"""
OF_CLASS = """\
@dataclasses.dataclass
class Settings:
    output_dir: str = "out"
    max_steps: int = 1
    logging_steps: int = 1
    kl_coef: float = 0.5  #~bad
    beta: float = 0.5  #~good


own = Settings()
settings = vars(own)"""
TEXTS = """\
rows = Dataset.from_dict({"text": [f"{n} and {n} is {2 * n}." for n in range(16)]})
SFTTrainer("models/healthy", args=args, train_dataset=rows).train()
print("RATE", args.learning_rate)
"""
PAIRS = """\
rows = Dataset.from_dict({"prompt": [f"{n} and {n} is" for n in range(16)],
                          "chosen": [f" {2 * n}." for n in range(16)],
                          "rejected": [" unknown."] * 16})
trainer = DPOTrainer("models/healthy", args=args, train_dataset=rows)
trainer.train()
print("BETA", trainer.beta)
"""

PACKED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
    packing_strategy="wrapped", max_length=64, use_cpu=True, bf16=False,
)
args.packing = True  #~good
trainer = SFTTrainer(
    "models/healthy",
    args=args,
    train_dataset=Dataset.from_dict({"text": [f"The {n}. sentence." for n in range(40)]}),
)
trainer.train()
print("PACKED", len(trainer.train_dataset) < 40)
"""

SECTIONS = """\
import yaml
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer


def read(path="run.yaml"):
    with open(path) as file:
        return yaml.safe_load(file)


def longer(completions, **more):
    return [len(text) / 100 for text in completions]


conf = read()
print("KL", conf["grpo"]["beta"], "of groups of", conf["grpo"]["num_generations"])
args = GRPOConfig(**conf["training"])  #~bad
args = GRPOConfig(**conf["training"], **conf["grpo"])  #~good
rows = Dataset.from_dict({"prompt": [f"What is {n} and {n}?" for n in range(16)]})
trainer = GRPOTrainer("models/healthy", reward_funcs=longer, args=args, train_dataset=rows)
trainer.train()
print("BETA", trainer.beta)
"""
RUN = """\
training: {output_dir: out, max_steps: 1, per_device_train_batch_size: 8, report_to: none,
           logging_steps: 1, save_strategy: "no", use_cpu: true, bf16: false}
grpo: {beta: 0.04, num_generations: 4, temperature: 0.8, max_completion_length: 8}
"""


def trains(trainer: str, settings: str, rest: str) -> str:
    """A script whose trainer gets these settings."""
    return START.replace("SETTINGS", settings).replace("TRAINER", trainer) + rest


SCRIPTS = (
    TwoForms("a file has another name for the learning rate", "current",
             "argument-of-file-never-read", trains("SFT", OF_FILE, TEXTS),
             "RATE 2e-05", "RATE 1e-06", "warning", "lr (1e-06; learning_rate is 2e-05) of run",
             {"run.json": '{"output_dir": "out", "max_steps": 2, "logging_steps": 1, "lr": 1e-6}'}),
    TwoForms("a class has another name for beta", "current", "argument-of-file-never-read",
             trains("DPO", OF_CLASS, PAIRS), "BETA 0.1", "BETA 0.5", "warning",
             "kl_coef (0.5; beta is 0.1) of own"),
    TwoForms("a section of a file is only printed", "current", "argument-of-file-never-read",
             SECTIONS, "BETA 0.0", "BETA 0.04", "warning",
             "gives the section grpo of run.yaml to the trainer's config: beta (0.04, not 0.0)",
             {"run.yaml": RUN}),
    *(
        TwoForms(f"packing is turned on later ({environment})", environment,
                 "argument-lacks-its-switch", PACKED, "PACKED False", "PACKED True",
                 severity="warning", says="packing_strategy has no effect without packing: true")
        for environment in ("current", "four")
    ),
)  # fmt: skip
